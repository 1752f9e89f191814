import { Exposures } from '../../../catalog/network/exposure.js';
import { NetworkModel } from '../../../catalog/network/model.js';
import { reach } from '../../../catalog/network/reachability.js';
import { assetsOf, networksOf, type Case } from './networks.js';

const networks = networksOf('aws');
const modelOf = (more: Pick<Case, 'with' | 'without'>) => new NetworkModel(assetsOf(networks, { name: '', ...more }));
const exposed = (model: NetworkModel, uid = 'web') => new Exposures(model).of(uid)!;
const ingress = (cidr_blocks: unknown, more: object = {}) => [{ protocol: 'tcp', from_port: 22, to_port: 22, cidr_blocks, ...more }];
const web = (rules: unknown): Pick<Case, 'with'> => ({
  with: { 'sg-web': ['aws_security_group', { vpc_id: 'vpc-1', ingress: rules, egress: [] }] },
});

describe('a range of addresses', () => {
  it.each(['none', '10.0.0.0/99', '300.1.1.1/8', '', '0.0.0.0/x', '::/999', 7, null, { a: 1 }])(
    'that is none, %j, opens nothing',
    (cidr) => {
      expect(exposed(modelOf(web(ingress([cidr])))).exposure).not.toBe('public');
    },
  );

  it('that is none leaves those beside it as they are', () => {
    const { exposure, ports } = exposed(
      modelOf(web([...ingress(['none']), ...ingress(['none', '0.0.0.0/0'], { from_port: 80, to_port: 80 })])),
    );
    expect([exposure, ports.map(({ from, to }) => [from, to])]).toEqual(['public', [[80, 80]]]);
  });
});

describe('a network in a circle', () => {
  it('of security groups that name each other is answered', () => {
    const group = (other: string) => ({ vpc_id: 'vpc-1', ingress: [{ protocol: '-1', security_groups: [other] }], egress: [] });
    const model = modelOf({ with: { 'sg-web': ['aws_security_group', group('sg-db')], 'sg-db': ['aws_security_group', group('sg-web')] } });
    expect(exposed(model).exposure).not.toBe('public');
    expect(reach(model, 'web', 'db', { protocol: 'tcp', port: 5432 })).toBeDefined();
  });

  it('of peerings and of routes that lead back is answered', () => {
    const route = (to: string) => ({ vpc_id: to, route: [{ cidr_block: '0.0.0.0/0', vpc_peering_connection_id: `pcx-${to}` }] });
    const model = modelOf({
      with: {
        'pcx-vpc-1': ['aws_vpc_peering_connection', { vpc_id: 'vpc-1', peer_vpc_id: 'vpc-2' }],
        'pcx-vpc-2': ['aws_vpc_peering_connection', { vpc_id: 'vpc-2', peer_vpc_id: 'vpc-1' }],
        'vpc-2': ['aws_vpc', { cidr_block: '10.1.0.0/16' }],
        'rtb-1': ['aws_route_table', route('vpc-1')],
        'rtb-2': ['aws_route_table', route('vpc-2')],
      },
    });
    expect(exposed(model).exposure).not.toBe('public');
    expect(reach(model, 'internet', 'web', { protocol: 'tcp', port: 443 })?.answer).not.toBe('reachable');
  });
});

it.each(['subnet-a', 'rtb-1', 'sg-web', 'igw-1', 'vpc-1'])(
  'what names %s where there is none is answered, and opens nothing more',
  (uid) => {
    const model = modelOf({ without: [uid] });
    expect(['public', 'unknown', 'private', 'restricted']).toContain(exposed(model).exposure);
    expect(reach(model, 'internet', 'db', { protocol: 'tcp', port: 5432 })?.answer).not.toBe('reachable');
  },
);

it('a firewall of very many rules is answered in time that grows with their number', () => {
  const cost = (count: number): number => {
    const rules = Array.from(
      { length: count },
      (_, n) => ingress([`10.${(n >> 8) % 256}.${n % 256}.0/24`], { from_port: n, to_port: n })[0],
    );
    const before = process.cpuUsage();
    exposed(modelOf(web(rules)));
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  cost(500);
  const few = Math.max(2, Math.min(cost(500), cost(500), cost(500)));
  expect(Math.min(cost(5_000), cost(5_000), cost(5_000)) / few).toBeLessThan(60);
});
