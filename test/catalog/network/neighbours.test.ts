import { NetworkModel } from '../../../catalog/network/model.js';
import { Neighbours } from '../../../catalog/network/neighbours.js';
import { placeOf } from '../../../catalog/network/place.js';
import { reach } from '../../../catalog/network/reachability.js';
import { betweenNetworks } from '../../../catalog/network/routes.js';
import type { InventoryResource } from '../../../catalog/resource.js';
import { assetsOf, networksOf } from './networks.js';

const PROVIDERS = ['aws', 'azure', 'gcp', 'oci', 'alicloud', 'ibm', 'k8s'];
const ASKED = PROVIDERS.flatMap((provider) => {
  const networks = networksOf(provider);
  return networks.cases.flatMap((one) =>
    one.ask !== undefined && one.ask[0] !== 'internet' && one.ask[3] !== 'icmp'
      ? [{ name: `${provider}: ${one.name}`, assets: assetsOf(networks, one), ask: one.ask }]
      : [],
  );
});

const isOpen = (assets: readonly InventoryResource[], from: string, to: string, port: number, protocol: string): boolean => {
  const { segments, reaches } = new Neighbours(new NetworkModel(assets)).reaching([to]);
  const own = segments.filter(({ members }) => members.includes(from)).map(({ uid }) => uid);
  return reaches.some(
    (one) => own.includes(one.from) && one.ports.some((ports) => ports.protocol === protocol && ports.from <= port && port <= ports.to),
  );
};

it('there are networks inside of which something is asked', () => expect(ASKED.length).toBeGreaterThan(25));

it.each(ASKED)('$name: segments say of each port what packets do', ({ assets, ask: [from, to, port, protocol = 'tcp'] }) => {
  const model = new NetworkModel(assets);
  const [source, target] = [placeOf(model, from), placeOf(model, to)];
  const isInside = target?.part.how.part === 'workload' && source !== undefined && betweenNetworks(model, source, target) !== null;
  for (const asked of [port!, 1, 22, 443, 5432, 65_535])
    for (const version of [assets, [...assets].reverse()])
      expect([asked, isOpen(version, from, to, asked, protocol)]).toEqual([
        asked,
        isInside && reach(model, from, to, { protocol, port: asked })?.answer === 'reachable',
      ]);
});

const instance = (uid: string, groups: string[], private_ip: string): InventoryResource => ({
  ...{ resource_uid: uid, resource_type: 'aws_instance', provider: 'aws' },
  configuration: { id: uid, subnet_id: 'sub', vpc_security_group_ids: groups, private_ip },
});
const group = (uid: string, ...ingress: object[]): InventoryResource => ({
  ...{ resource_uid: uid, resource_type: 'aws_security_group', provider: 'aws' },
  configuration: { id: uid, vpc_id: 'vpc', ingress, egress: [{ protocol: '-1', from_port: 0, to_port: 0, cidr_blocks: ['0.0.0.0/0'] }] },
});
const NETWORK: InventoryResource[] = [
  { resource_uid: 'vpc', resource_type: 'aws_vpc', provider: 'aws', configuration: { id: 'vpc', cidr_block: '10.0.0.0/16' } },
  {
    resource_uid: 'sub',
    resource_type: 'aws_subnet',
    provider: 'aws',
    configuration: { id: 'sub', vpc_id: 'vpc', cidr_block: '10.0.1.0/24' },
  },
];

it('workloads of the same groups are one segment, unless a rule tells their addresses apart', () => {
  const one = { protocol: 'tcp', from_port: 22, to_port: 22, cidr_blocks: ['10.0.1.4/32'] };
  const all = { protocol: 'tcp', from_port: 80, to_port: 80, security_groups: ['web'] };
  const { segments, reaches, cut } = new Neighbours(
    new NetworkModel([
      ...[...NETWORK, group('web'), group('db', one, all), instance('i-db', ['db'], '10.0.1.99')],
      ...[4, 5, 6].map((n) => instance(`i-${n}`, ['web'], `10.0.1.${n}`)),
    ]),
  ).reaching(['i-db', 'i-db', 'absent', 'vpc']);
  const told = reaches.map(({ from, to, ports }) => [
    segments.find(({ uid }) => uid === from)!.members,
    to,
    ports.map((port) => port.from),
  ]);
  expect([told.sort(), cut, segments.map(({ name }) => name)]).toEqual([
    [
      [['i-4'], ['i-db'], [22, 80]],
      [['i-5', 'i-6'], ['i-db'], [80]],
    ],
    false,
    ['web in sub', 'web in sub'],
  ]);
});

it('10,000 workloads behind one group are one segment, whose targets are one', () => {
  const open = { protocol: 'tcp', from_port: 443, to_port: 443, cidr_blocks: ['10.0.0.0/8'] };
  const many = Array.from({ length: 10_000 }, (_, n) => instance(`i-${n}`, ['web'], `10.0.${1 + (n >> 8)}.${n & 255}`));
  const { segments, reaches, cut } = new Neighbours(new NetworkModel([...NETWORK, group('web', open), ...many])).reaching(
    many.map(({ resource_uid }) => resource_uid),
  );
  expect([segments.length, reaches.length, cut]).toEqual([1, 1, false]);
  expect([segments[0]!.members.length, reaches[0]!.to.length]).toEqual([10_000, 10_000]);
});
