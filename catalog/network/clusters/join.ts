import { block, blocks, int, items, text, type Plain } from '../../cel/read.js';
import type { InventoryResource } from '../../resource.js';
import type { Part } from '../part.js';
import { LAST_PORT } from '../../cel/firewall/traffic-rule.js';
import type { Maybe, Peer, Rule } from '../types.js';
import { clusterOf, containerPorts, isOnHost, metadataOf, podOf, protocolOf, specOf } from './objects.js';
import { readSelector, selectorText, type Labels } from './selectors.js';

/** What a cluster's objects tell the model. */
export interface Joined {
  link(from: string, role: string, to: readonly string[], missing?: readonly string[]): void;
  rules(filter: string, rules: readonly Rule[]): void;
}

/** The label that every namespace has. */
const OWN_NAME = 'kubernetes.io/metadata.name';
const EVERYBODY: Peer = { kind: 'block', block: '*' };

interface Pods {
  uid: string;
  asset: InventoryResource;
  namespace: string;
  labels: Labels;
}

/** One cluster: which pods a policy is for, which a rule of it names, and which a service hands on to. */
class Cluster {
  private readonly pods: readonly Pods[];
  private readonly inNamespace = new Map<string, Pods[]>();
  private readonly namespaces = new Map<string, Labels>();
  private readonly named = new Set<string>();

  constructor(
    parts: readonly Part[],
    private readonly joined: Joined,
  ) {
    const workloads = parts.filter(({ how }) => how.part === 'workload');
    for (const { asset } of parts.filter(({ asset: { resource_type } }) => /^kubernetes_namespace/.test(resource_type))) {
      const { name, labels } = metadataOf(asset);
      this.namespaces.set(name, { known: { ...labels, [OWN_NAME]: name }, isWhole: true });
    }
    this.pods = workloads.map(({ asset }) => {
      const { namespace } = metadataOf(asset);
      if (!this.namespaces.has(namespace)) this.namespaces.set(namespace, { known: { [OWN_NAME]: namespace }, isWhole: false });
      return { uid: asset.resource_uid, asset, namespace, labels: { known: podOf(asset).labels, isWhole: true } };
    });
    for (const pods of this.pods) {
      joined.link(pods.uid, 'network', [clusterOf(pods.asset)]);
      const own = this.inNamespace.get(pods.namespace);
      if (own) own.push(pods);
      else this.inNamespace.set(pods.namespace, [pods]);
    }
  }

  /** Pods behind a policy, and what its rules say. */
  policy(asset: InventoryResource): void {
    const { resource_uid: uid } = asset;
    const { namespace } = metadataOf(asset);
    const spec = specOf(asset);
    const guarded = this.selected(namespace, block(spec['pod_selector']) ?? {}, undefined).filter(({ answer }) => answer === true);
    const types = items(spec['policy_types']);
    const egress = blocks(spec['egress']);
    for (const [direction, isMeant, written] of [
      ['ingress', types.length === 0 || types.includes('Ingress'), blocks(spec['ingress'])],
      ['egress', types.includes('Egress') || (types.length === 0 && egress.length > 0), egress],
    ] as const) {
      if (!isMeant) continue;
      for (const { pods } of guarded) if (!isOnHost(pods.asset)) this.joined.link(pods.uid, `${direction}_policy`, [uid]);
      this.joined.rules(
        uid,
        written.flatMap((rule, n) =>
          this.portsOf(rule, direction === 'ingress' ? guarded.map(({ pods }) => pods) : undefined).map((ports): Rule => ({
            ...{ uid, label: `${direction} ${n + 1}`, direction, action: 'allow', priority: 0 },
            ...ports,
            peers: this.peersOf(blocks(rule[direction === 'ingress' ? 'from' : 'to']), namespace),
          })),
        ),
      );
    }
  }

  /** Makes pods those that a service hands on to. */
  service(asset: InventoryResource): void {
    const selector = block(specOf(asset)['selector']) ?? {};
    if (Object.keys(selector).length === 0) return;
    const { namespace } = metadataOf(asset);
    for (const { pods, answer } of this.selected(namespace, { match_labels: [selector] }, undefined))
      if (answer === true) {
        this.joined.link(pods.uid, 'served_by', [asset.resource_uid]);
        this.joined.link(asset.resource_uid, 'serves', [pods.uid]);
      }
  }

  /** The pods that a selector selects, or may: those of one namespace, or of the namespaces that another selector selects. */
  private selected(namespace: string, pods: Plain, namespaces: Plain | undefined): { pods: Pods; answer: Maybe }[] {
    const isMeant = readSelector(pods);
    const within = namespaces === undefined ? undefined : readSelector(namespaces);
    const found: { pods: Pods; answer: Maybe }[] = [];
    for (const one of within === undefined ? (this.inNamespace.get(namespace) ?? []) : this.pods) {
      const own = isMeant(one.labels);
      const there = own === false || within === undefined ? true : within(this.namespaces.get(one.namespace)!);
      if (own === false || there === false) continue;
      found.push({ pods: one, answer: own === undefined || there === undefined ? undefined : true });
    }
    return found;
  }

  private peersOf(written: readonly Plain[], namespace: string): Peer[] {
    if (written.length === 0) return [EVERYBODY];
    return written.map((peer): Peer => {
      const address = block(peer['ip_block']);
      if (address !== undefined) {
        const cidr = text(address['cidr']);
        if (cidr === undefined) return { kind: 'unknown' };
        return { kind: 'block', block: cidr, except: items(address['except']).filter((one) => one !== undefined) };
      }
      const [pods, namespaces] = [block(peer['pod_selector']), block(peer['namespace_selector'])];
      return { kind: 'member', of: this.membersOf(namespace, pods ?? {}, namespaces) };
    });
  }

  /** Makes pods members of what a selector names. @returns its name */
  private membersOf(namespace: string, pods: Plain, namespaces: Plain | undefined): string {
    const where = namespaces === undefined ? namespace : `namespaces with ${selectorText(namespaces)}`;
    const name = `pods with ${selectorText(pods)} of ${where}`;
    if (this.named.has(name)) return name;
    this.named.add(name);
    for (const { pods: one, answer } of this.selected(namespace, pods, namespaces)) {
      if (answer === true) this.joined.link(one.uid, 'member', [name]);
      if (answer === undefined) this.joined.link(one.uid, 'perhaps_member', [name]);
    }
    return name;
  }

  /** The ports of a rule; one that is named is that of each of the pods that name it. */
  private portsOf(rule: Plain, guarded: readonly Pods[] | undefined): Pick<Rule, 'protocol' | 'from' | 'to' | 'targets'>[] {
    const written = blocks(rule['ports']);
    if (written.length === 0) return [{ protocol: 'any', from: 0, to: LAST_PORT }];
    return written.flatMap((one): Pick<Rule, 'protocol' | 'from' | 'to' | 'targets'>[] => {
      const protocol = protocolOf(one['protocol']);
      const port = text(one['port']);
      if (port === undefined)
        return [{ protocol, from: one['port'] == null ? 0 : undefined, to: one['port'] == null ? LAST_PORT : undefined }];
      const from = int(/^\d+$/.test(port) ? port : undefined);
      if (from !== undefined) return [{ protocol, from, to: int(one['end_port']) ?? from }];
      if (guarded === undefined) return [{ protocol, from: undefined, to: undefined }];
      return guarded.flatMap(({ uid, asset }) => {
        const own = containerPorts(asset).filter(({ name }) => name === port);
        return own.map(({ port: number }) => {
          const those = `pods whose port ${port} is ${number}`;
          this.joined.link(uid, 'member', [those]);
          return { protocol, from: number, to: number, targets: [those] };
        });
      });
    });
  }
}

/** The services that an ingress leads to; of `v1` and of the form before it. */
function backendsOf(asset: InventoryResource): string[] {
  const spec = specOf(asset);
  const paths = blocks(spec['rule'])
    .flatMap((rule) => blocks(rule['http']))
    .flatMap((http) => blocks(http['path']));
  const backends = [...paths.flatMap((path) => blocks(path['backend'])), ...blocks(spec['default_backend']), ...blocks(spec['backend'])];
  const names = backends.map((backend) => text(block(backend['service'])?.['name']) ?? text(backend['service_name']));
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** Joins the objects of each cluster: pods, the policies that they are behind, and the services that hand on to them (Kubernetes, "Network Policies"). */
export function joinClusters(parts: readonly Part[], joined: Joined): void {
  const clusters = new Map<string, Part[]>();
  for (const part of parts) {
    const cluster = clusterOf(part.asset);
    const own = clusters.get(cluster);
    if (own) own.push(part);
    else clusters.set(cluster, [part]);
  }
  for (const [name, own] of clusters) {
    const cluster = new Cluster(own, joined);
    for (const { asset, how } of own) {
      if (how.part === 'firewall') cluster.policy(asset);
      if (how.part === 'balancer') cluster.service(asset);
      if (how.part === 'balancer') joined.link(asset.resource_uid, 'network', [clusterOf(asset)]);
      if (/^kubernetes_ingress/.test(asset.resource_type))
        for (const service of backendsOf(asset))
          joined.link(`${name}/${metadataOf(asset).namespace}/${service}`, 'ingress', [asset.resource_uid]);
      // policies of other makers say more than the model reads
      if (how.part === 'acl') joined.link(name, 'foreign', [asset.resource_uid]);
      if (/^kubernetes_node/.test(asset.resource_type)) joined.link(name, 'node', [asset.resource_uid]);
    }
  }
}
