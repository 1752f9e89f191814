import { z } from 'zod';
import { block, blocks, text } from '../../cel/read.js';
import type { InventoryResource } from '../../resource.js';
import { only } from '../pattern.js';
import type { Place } from '../place.js';
import { privilegesSchema, readTable } from '../table.js';
import type { AccessRule } from '../types.js';
import { addTo, GatheredBindings } from './bound.js';

const ruleSchema = z.strictObject({ api_groups: z.array(z.string()), resources: z.array(z.string()), verbs: z.array(z.string()) });
const schema = z.strictObject({
  provider: z.literal('k8s'),
  roles: z.record(z.string(), z.array(ruleSchema)),
  privileges: privilegesSchema,
});

/** What a rule of a role gives. */
interface Given {
  actions: string[];
  /** The only resources that it is about; all where empty. */
  names: string[];
}

interface Role {
  rules: Given[];
  labels: Readonly<Record<string, unknown>>;
  /** Labels of the roles whose rules it takes over. */
  selects: Readonly<Record<string, unknown>>[];
}

/** One rule of a role names so many verbs and resources at most. */
const MOST_ACTIONS = 2_000;
const CORE = 'core';

/** Roles and bindings of Kubernetes (Kubernetes, "Using RBAC Authorization"), a cluster at a time. Actions are `verb:group/resource`, with `core` for the first group. */
export class K8sBindings extends GatheredBindings {
  readonly everybody: string[] = [];
  readonly privileges;
  private readonly roles = new Map<string, Role>();
  /** The resources of a name, of any kind. */
  private readonly byName = new Map<string, Set<string>>();

  constructor(assets: readonly InventoryResource[]) {
    super();
    const table = readTable(schema, 'k8s');
    this.privileges = table.privileges;
    const clusters = new Set(assets.map(clusterOf));
    for (const cluster of clusters)
      for (const [name, rules] of Object.entries(table.roles))
        this.roles.set(`${cluster}|${name}`, { rules: rules.map(given), labels: {}, selects: [] });
    for (const cluster of clusters) this.everybody.push(`${cluster}|group:system:unauthenticated`, `${cluster}|user:system:anonymous`);
    for (const asset of assets) {
      this.assets.set(asset.resource_uid, asset);
      addTo(this.byName, `${clusterOf(asset)}|${placed(asset).name}`, asset.resource_uid);
      const type = plainType(asset);
      if (type === 'kubernetes_service_account' || type === 'kubernetes_default_service_account') this.identities.push(asset.resource_uid);
      if (type === 'kubernetes_cluster_role' || type === 'kubernetes_role') this.declare(asset, type === 'kubernetes_role');
    }
    for (const asset of assets) {
      const type = plainType(asset);
      if (type === 'kubernetes_cluster_role_binding' || type === 'kubernetes_role_binding')
        this.bind(asset, type === 'kubernetes_role_binding');
    }
  }

  /** `user:NAME`, `group:NAME` and `*` for who is not signed in; a service account by its uid or `serviceaccount:NAMESPACE/NAME`. */
  namesOf(who: string): string[] {
    if (who === '*') return ['*|group:system:unauthenticated', '*|user:system:anonymous'].flatMap((name) => this.inAll(name));
    const asset = this.assets.get(who);
    const [, cluster] = /^([^|]*)\|(?:user|group):/.exec(who) ?? [];
    if (cluster !== undefined) return [who, `${cluster}|group:system:authenticated`];
    if (asset === undefined) return this.inAll(`*|${who}`).concat(this.inAll('*|group:system:authenticated'));
    const own = clusterOf(asset);
    const { name, namespace } = placed(asset);
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
    return [
      `${own}|serviceaccount:${namespace}/${name}`,
      `${own}|user:system:serviceaccount:${namespace}:${name}`,
      ...groups.map((group) => `${own}|group:${group}`),
    ];
  }

  /** `cluster/NAME` or `ns/NAMESPACE/NAME`, of each cluster that has it. */
  placesOf(resource: string): string[] {
    const asset = this.assets.get(resource);
    if (asset === undefined) return resource.includes('|') ? [resource] : this.inAll(`*|${resource}`);
    const { name, namespace } = placed(asset);
    return [`${clusterOf(asset)}|${isNamespaced(asset) ? `ns/${namespace}/${name}` : `cluster/${name}`}`];
  }

  place(name: string): Place | undefined {
    const [, cluster = '', rest = ''] = /^([^|]*)\|(.*)$/.exec(name) ?? [];
    if (rest === '*') return { within: [cluster], pattern: null, whole: true };
    const [, namespace, own] = /^(?:ns\/([^/]+)|\*)\/(.+)$/.exec(rest) ?? [];
    if (own === '*') return { within: [`${cluster}/${namespace}`], pattern: null, whole: false };
    const named = [...(this.byName.get(`${cluster}|${own}`) ?? [])].filter(
      (uid) => namespace === undefined || placed(this.assets.get(uid)!).namespace === namespace,
    );
    return named.length === 0 ? undefined : { named };
  }

  private inAll(name: string): string[] {
    return [...new Set([...this.roles.keys()].map((key) => key.slice(0, key.indexOf('|'))))].map((cluster) => name.replace('*', cluster));
  }

  private declare(asset: InventoryResource, namespaced: boolean): void {
    const { configuration } = asset;
    const { name, namespace } = placed(asset);
    const aggregation = block(configuration['aggregation_rule']);
    const selectors = blocks(aggregation?.['cluster_role_selectors'] ?? aggregation?.['cluster_role_selector']);
    this.roles.set(namespaced ? `${clusterOf(asset)}|${namespace}/${name}` : `${clusterOf(asset)}|${name}`, {
      rules: blocks(configuration['rule']).map(given),
      labels: block(block(configuration['metadata'])?.['labels']) ?? {},
      selects: selectors.map((selector) => block(selector['match_labels']) ?? {}),
    });
  }

  /** The rules of a role and of all that it takes over. */
  private rulesOf(cluster: string, key: string, seen = new Set<string>()): Given[] | undefined {
    const role = this.roles.get(key);
    if (role === undefined) return undefined;
    if (seen.has(key)) return [];
    seen.add(key);
    const rules = [...role.rules];
    for (const labels of role.selects)
      for (const [other, { labels: own }] of this.roles)
        if (
          other.startsWith(`${cluster}|`) &&
          Object.keys(labels).length > 0 &&
          Object.entries(labels).every(([label, value]) => own[label] === value)
        )
          rules.push(...(this.rulesOf(cluster, other, seen) ?? []));
    return rules;
  }

  private bind(asset: InventoryResource, namespaced: boolean): void {
    const { resource_uid: uid, configuration } = asset;
    const cluster = clusterOf(asset);
    const { namespace } = placed(asset);
    const ref = block(configuration['role_ref']) ?? {};
    const name = text(ref['name']) ?? '?';
    const rules = this.rulesOf(cluster, text(ref['kind']) === 'Role' ? `${cluster}|${namespace}/${name}` : `${cluster}|${name}`);
    if (rules === undefined) this.unseen.set(uid, name);
    const subjects = blocks(configuration['subject']).map((subject) => `${cluster}|${subjectOf(subject, namespace)}`);
    const where = namespaced ? `${cluster}|ns/${namespace}/` : `${cluster}|`;
    for (const { actions, names } of rules ?? [UNKNOWN]) {
      // a name is of a resource in any namespace, or of one that has none
      const places = names.length === 0 ? [`${where}*`] : names.map((one) => (namespaced ? `${where}${one}` : `${where}*/${one}`));
      const rule: AccessRule = {
        uid,
        label: name,
        effect: 'allow',
        actions: rules === undefined ? only(null) : only(...actions),
        resources: only(...places),
        condition: () => true,
        via: [],
      };
      this.bound.push({ subjects, rule });
    }
  }
}

const UNKNOWN: Given = { actions: [], names: [] };

const plainType = ({ resource_type }: InventoryResource): string => resource_type.replace(/_v1(?:beta\d)?$/, '');
const clusterOf = ({ account_id }: InventoryResource): string => account_id ?? '';

function placed({ configuration }: InventoryResource): { name: string; namespace: string } {
  const metadata = block(configuration['metadata']) ?? {};
  return { name: text(metadata['name']) ?? '', namespace: text(metadata['namespace']) ?? 'default' };
}

const CLUSTER_WIDE =
  /^kubernetes_(?:cluster_role|cluster_role_binding|namespace|node|persistent_volume|storage_class|custom_resource_definition)$/;
const isNamespaced = (asset: InventoryResource): boolean => !CLUSTER_WIDE.test(plainType(asset));

function subjectOf(subject: Readonly<Record<string, unknown>>, namespace: string): string {
  const name = text(subject['name']) ?? '?';
  if (text(subject['kind']) === 'ServiceAccount') return `serviceaccount:${text(subject['namespace']) ?? namespace}/${name}`;
  return `${text(subject['kind']) === 'Group' ? 'group' : 'user'}:${name}`;
}

/** A rule as actions; of a group, resource or verb that is `*`, a star. */
function given(rule: Readonly<Record<string, unknown>>): Given {
  const list = (key: string) => (Array.isArray(rule[key]) ? (rule[key] as unknown[]).map(String) : []);
  const actions: string[] = [];
  for (const verb of list('verbs'))
    for (const group of list('api_groups'))
      for (const resource of list('resources'))
        if (actions.length < MOST_ACTIONS) actions.push(`${verb}:${group === '' ? CORE : group}/${resource}`);
  return { actions, names: list('resource_names') };
}
