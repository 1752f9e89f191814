import { REDACTED } from '../../../redaction/secret-keys.js';
import { asObject, member, numberAt, objectAt, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import { kubernetesUid } from '../../normalize/kubernetes-names.js';
import type { ImportOptions } from '../../types.js';
import type { Acted, TellEvent, Told } from '../event.js';

const LOOKS = new Set(['get', 'list', 'watch', 'proxy']);
const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):(.+)$/;
/** Names of what clusters consist of, those of the clouds that manage them included: nobody else has such a name. An account of Google's may begin with anything. */
const OF_CLUSTERS = /^(?:system:|eks:|aksService$|gke-[^@]*$)/;
const ANONYMOUS = 'system:anonymous';
/** Kinds whose objects are named otherwise than by their plural without its end. */
const KINDS: Readonly<Record<string, string>> = {
  networkpolicies: 'NetworkPolicy',
  ingresses: 'Ingress',
  endpoints: 'Endpoints',
  configmaps: 'ConfigMap',
  serviceaccounts: 'ServiceAccount',
  daemonsets: 'DaemonSet',
  statefulsets: 'StatefulSet',
  replicasets: 'ReplicaSet',
  cronjobs: 'CronJob',
  rolebindings: 'RoleBinding',
  clusterroles: 'ClusterRole',
  clusterrolebindings: 'ClusterRoleBinding',
  persistentvolumes: 'PersistentVolume',
  persistentvolumeclaims: 'PersistentVolumeClaim',
  storageclasses: 'StorageClass',
};

/** Reads audit events of a Kubernetes API server. The cluster is the account, or the artifact, that the import names. */
export function tellKubernetesAudit(options: ImportOptions): TellEvent {
  return (record): Told => {
    const ref = objectAt(record, 'objectRef');
    const verb = textAt(record, 'verb') ?? '';
    const group = textAt(ref, 'apiGroup') ?? 'core';
    const resource = textAt(ref, 'resource');
    const subresource = textAt(ref, 'subresource');
    const target =
      resource === undefined
        ? (textAt(record, 'requestURI') ?? '').split('?')[0]!
        : `${group}/${resource}${subresource === undefined ? '' : `/${subresource}`}`;
    const status = objectAt(record, 'responseStatus');
    const code = numberAt(status, 'code') ?? 200;
    const name = textAt(ref, 'name');
    const uid =
      resource === undefined || name === undefined
        ? undefined
        : kubernetesUid(kindOf(resource), textAt(ref, 'namespace') ?? '', name, options);
    return {
      ...actorOf(record, options),
      log: LOOKS.has(verb) ? 'audit:read' : 'audit:write',
      account_id: options.account_id ?? options.artifact,
      service: resource === undefined ? 'nonresource' : group,
      action: `${verb}:${target}`,
      outcome: code < 400 ? 'success' : code === 401 || code === 403 ? 'denied' : 'failure',
      error: code < 400 ? undefined : (textAt(status, 'reason') ?? String(code)),
      resources: uid === undefined ? [] : [uid],
      rights: resource === undefined ? [] : [{ right: `${verb}:${target}`, ...placeOf(ref) }],
    };
  };
}

/** Where a right was taken, as roles and their bindings hold it: `ns/NAMESPACE/NAME` or `cluster/NAME`; a star for no name. */
function placeOf(ref: JsonObject | undefined): { resource: string } {
  const [namespace, name = '*'] = [textAt(ref, 'namespace'), textAt(ref, 'name')];
  return { resource: namespace === undefined ? `cluster/${name}` : `ns/${namespace}/${name}` };
}

const kindOf = (plural: string): string => {
  const known = KINDS[plural];
  if (known !== undefined) return known;
  const one = plural.replace(/s$/, '');
  return one.charAt(0).toUpperCase() + one.slice(1);
};

function actorOf(record: JsonObject, options: ImportOptions): Acted {
  const user = textAt(objectAt(record, 'user'), 'username') ?? ANONYMOUS;
  const other = textAt(objectAt(record, 'impersonatedUser'), 'username');
  return other === undefined ? named(user, options) : { ...named(other, options), chain: [named(user, options).actor] };
}

function named(user: string, options: ImportOptions): Acted {
  const [, namespace, name] = SERVICE_ACCOUNT.exec(user) ?? [];
  if (namespace !== undefined && name !== undefined)
    return { actor: kubernetesUid('ServiceAccount', namespace, name, options), actor_kind: 'service_account' };
  if (user === ANONYMOUS) return { actor: 'anonymous', actor_kind: 'anonymous' };
  return { actor: user, actor_kind: OF_CLUSTERS.test(user) ? 'service' : 'user' };
}

/** What only says that a request came in is told again when it is answered. */
export const isAnswered = (record: JsonObject): boolean => textAt(record, 'stage') !== 'RequestReceived';

/** The values of a Secret are left out wherever a request or an answer holds one. */
export function withoutSecretData(record: JsonObject): JsonObject {
  if (textAt(objectAt(record, 'objectRef'), 'resource') !== 'secrets') return record;
  const bare = (value: unknown): unknown => {
    const object = asObject(value);
    if (object === undefined) return value;
    const kept: Record<string, unknown> = { ...object };
    for (const name of ['data', 'stringData']) {
      const values = objectAt(object, name);
      if (values !== undefined) kept[name] = Object.fromEntries(Object.keys(values).map((key) => [key, REDACTED]));
      else if (member(object, name) !== undefined) kept[name] = REDACTED;
    }
    // a patch is a text, or a list of operations
    if (textsAt(object, 'patch').length > 0) kept['patch'] = REDACTED;
    if (Array.isArray(object['items'])) kept['items'] = (object['items'] as unknown[]).map(bare);
    return kept;
  };
  const [request, answer] = ['requestObject', 'responseObject'] as const;
  return {
    ...record,
    ...(record[request] !== undefined && { [request]: Array.isArray(record[request]) ? REDACTED : bare(record[request]) }),
    ...(record[answer] !== undefined && { [answer]: bare(record[answer]) }),
  };
}
