import type { InventoryResource } from '../../../catalog/resource.js';
import { NetworkModel } from '../../../catalog/network/model.js';
import { reach } from '../../../catalog/network/reachability.js';
import { assetsOf, networksOf } from './networks.js';

const networks = networksOf('aws');
/** The hand-made networks of AWS with what is asked of each. */
const ASKED = networks.cases.flatMap((one) => (one.ask ? [{ name: one.name, assets: assetsOf(networks, one), ask: one.ask }] : []));

const answer = (assets: readonly InventoryResource[], [from, to, port, protocol = 'tcp']: (typeof ASKED)[number]['ask']) =>
  reach(new NetworkModel([...assets]), from, to, { protocol, port })?.answer;
const changed = (assets: readonly InventoryResource[], type: string, change: (configuration: Record<string, unknown>) => object) =>
  assets.map((one) =>
    one.resource_type === type
      ? { ...one, configuration: { ...one.configuration, ...change(one.configuration as Record<string, unknown>) } }
      : one,
  );
const cluster = networksOf('k8s');
const IN_CLUSTER = cluster.cases.flatMap((one) => (one.ask ? [{ name: one.name, assets: assetsOf(cluster, one), ask: one.ask }] : []));
const policies = (rules: object): InventoryResource[] =>
  ['shop', 'pay'].map((namespace) => ({
    ...{ resource_uid: `more-${namespace}`, resource_type: 'kubernetes_network_policy', provider: 'k8s' },
    configuration: {
      metadata: [{ name: 'more', namespace }],
      spec: [{ pod_selector: [{}], policy_types: ['Ingress', 'Egress'], ...rules }],
    },
  }));

it.each(IN_CLUSTER)(
  '$name: a policy that lets nothing through opens nothing, and one that lets all through closes nothing that policies let',
  ({ assets, ask }) => {
    const before = answer(assets, ask);
    if (before !== 'reachable') expect(answer([...assets, ...policies({})], ask)).not.toBe('reachable');
    const open = answer([...assets, ...policies({ ingress: [{}], egress: [{}] })], ask);
    if (before === 'reachable') expect(open).toBe('reachable');
  },
);

it('a cluster of 10,000 workloads and as many policies and services is read in one go', () => {
  const metadata = (n: number) => [{ name: `w-${n}`, namespace: `ns-${n % 100}` }];
  const many = Array.from({ length: 10_000 }, (_, n) => n).flatMap((n): InventoryResource[] => [
    {
      ...{ resource_uid: `w-${n}`, resource_type: 'kubernetes_pod', provider: 'k8s' },
      configuration: {
        metadata: [{ ...metadata(n)[0], labels: { app: `app-${n}` } }],
        spec: [{ container: [{ port: [{ container_port: 80 }] }] }],
      },
    },
    {
      ...{ resource_uid: `p-${n}`, resource_type: 'kubernetes_network_policy', provider: 'k8s' },
      configuration: {
        metadata: metadata(n),
        spec: [
          {
            pod_selector: [{ match_labels: { app: `app-${n}` } }],
            ingress: [{ from: [{ pod_selector: [{ match_labels: { app: `app-${n + 100}` } }] }] }],
          },
        ],
      },
    },
    {
      ...{ resource_uid: `s-${n}`, resource_type: 'kubernetes_service', provider: 'k8s' },
      configuration: { metadata: metadata(n), spec: [{ type: 'LoadBalancer', selector: { app: `app-${n}` }, port: [{ port: 80 }] }] },
    },
  ]);
  const used = process.cpuUsage();
  const model = new NetworkModel(many);
  const { user } = process.cpuUsage(used);
  expect(reach(model, 'w-101', 'w-1', { protocol: 'tcp', port: 80 })?.answer).toBe('reachable');
  expect(reach(model, 'w-201', 'w-1', { protocol: 'tcp', port: 80 })?.answer).toBe('blocked');
  // every policy looked at every workload takes minutes
  expect(user / 1e6).toBeLessThan(30);
});

const DENY = { rule_no: 1, action: 'deny', protocol: '-1', from_port: 0, to_port: 0, cidr_block: '0.0.0.0/0' };
const listOf = (value: unknown): object[] => (Array.isArray(value) ? (value as object[]) : []);

it.each(ASKED)('$name: a rule that denies opens nothing', ({ assets, ask }) => {
  const denied = changed(assets, 'aws_network_acl', ({ ingress, egress }) => ({
    ingress: [DENY, ...listOf(ingress)],
    egress: [DENY, ...listOf(egress)],
  }));
  if (answer(assets, ask) !== 'reachable') expect(answer(denied, ask)).not.toBe('reachable');
});

it.each(ASKED)('$name: a wider range closes nothing', ({ assets, ask }) => {
  const wider = (rules: unknown) => listOf(rules).map((rule) => ({ ...rule, cidr_blocks: ['0.0.0.0/0'], ipv6_cidr_blocks: ['::/0'] }));
  const open = changed(assets, 'aws_security_group', ({ ingress, egress }) => ({
    ...(ingress !== undefined && { ingress: wider(ingress) }),
    ...(egress !== undefined && { egress: wider(egress) }),
  }));
  if (answer(assets, ask) === 'reachable') expect(answer(open, ask)).toBe('reachable');
});
