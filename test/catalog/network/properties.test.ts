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
