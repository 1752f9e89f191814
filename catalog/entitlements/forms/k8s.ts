import { holds } from '../../access/pattern.js';
import { block, text } from '../../cel/read.js';
import type { InventoryResource } from '../../resource.js';
import type { Chosen } from '../chosen.js';
import { PROPOSED, type ProposalForm } from '../form.js';

interface RoleRule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

/** A place of a statement: the cluster, and behind the bar a namespace or the cluster as a whole, and a name. */
const PLACE = /^([^|]*)\|(?:ns\/([^/]+)\/|(?:cluster\/)?)(?:\*\/)?(.*)$/;

/** The rules of each namespace, and of the cluster under `''`. */
function byNamespace(chosen: readonly Chosen[]): Map<string, RoleRule[]> {
  const found = new Map<string, Map<string, RoleRule>>();
  for (const { rights, resources } of chosen)
    for (const place of resources) {
      const [, , namespace = '', name = '*'] = PLACE.exec(place) ?? [];
      const rules = found.get(namespace) ?? new Map<string, RoleRule>();
      found.set(namespace, rules);
      for (const right of rights) {
        const [verb = '', rest = ''] = split(right, ':');
        const [group = '', resource = ''] = split(rest, '/');
        const key = JSON.stringify([group, resource, name]);
        const rule = rules.get(key) ?? {
          apiGroups: [group === 'core' ? '' : group],
          resources: [resource],
          ...(name !== '*' && name !== '' && { resourceNames: [name] }),
          verbs: [],
        };
        rules.set(key, rule);
        if (!rule.verbs.includes(verb)) rule.verbs.push(verb);
      }
    }
  return new Map(
    [...found].sort().map(([namespace, rules]) => [namespace, [...rules.values()].map((rule) => ({ ...rule, verbs: rule.verbs.sort() }))]),
  );
}

const split = (word: string, at: string): [string, string] => [word.slice(0, word.indexOf(at)), word.slice(word.indexOf(at) + 1)];

const placed = ({ configuration }: InventoryResource) => {
  const metadata = block(configuration['metadata']) ?? {};
  return { name: text(metadata['name']) ?? 'default', namespace: text(metadata['namespace']) ?? 'default' };
};

const API = 'rbac.authorization.k8s.io';

/** A Role for each namespace in which a service account did something, a ClusterRole for what it did in the cluster as a whole, and their bindings. */
export const k8sForm: ProposalForm = {
  name: 'kubernetes_roles',
  isOwn: () => true,
  placeOf(rule, resource) {
    const cluster = rule.resources.include.find((one) => one !== null)?.split('|')[0] ?? '';
    if (holds(rule.resources, `${cluster}|${resource}`) !== true) return undefined;
    // names come and go: a right on one object is one on all of its namespace, unless the statement names objects
    const isNamed = rule.resources.include.every((one) => one !== null && !/\*$/.test(one));
    return `${cluster}|${isNamed ? resource : resource.replace(/[^/]*$/, '*')}`;
  },
  documents(chosen, { asset, name }) {
    const subject = { kind: 'ServiceAccount', ...placed(asset) };
    const roleName = `${name}${PROPOSED}`.toLowerCase();
    return [...byNamespace(chosen)].flatMap(([namespace, rules]) => {
      const kind = namespace === '' ? 'ClusterRole' : 'Role';
      const metadata = { name: roleName, ...(namespace !== '' && { namespace }) };
      return [
        { apiVersion: `${API}/v1`, kind, metadata, rules },
        {
          apiVersion: `${API}/v1`,
          kind: `${kind}Binding`,
          metadata,
          roleRef: { apiGroup: API, kind, name: roleName },
          subjects: [subject],
        },
      ];
    });
  },
  proof(documents, _chosen, { asset }) {
    const { name, namespace } = placed(asset);
    const account_id = asset.account_id;
    const clone: InventoryResource = {
      ...asset,
      resource_uid: `${asset.resource_uid}${PROPOSED}`,
      resource_name: undefined,
      configuration: { metadata: [{ name: `${name}${PROPOSED}`, namespace }] },
    };
    return [
      clone,
      ...documents.map((document, n): InventoryResource => {
        const {
          kind,
          metadata,
          rules = [],
          roleRef,
        } = document as { kind: string; metadata: object; rules?: RoleRule[]; roleRef?: object };
        const type = kind.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
        return {
          ...{ resource_uid: `proposal:${n}`, resource_type: `kubernetes_${type}`, provider: 'k8s', account_id },
          configuration: {
            metadata: [metadata],
            rule: rules.map(({ apiGroups, resources, resourceNames, verbs }) => ({
              ...{ api_groups: apiGroups, resources, verbs },
              ...(resourceNames && { resource_names: resourceNames }),
            })),
            role_ref: roleRef === undefined ? [] : [roleRef],
            subject: [{ kind: 'ServiceAccount', name: `${name}${PROPOSED}`, namespace }],
          },
        };
      }),
    ];
  },
};
