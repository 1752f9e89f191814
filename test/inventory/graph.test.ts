import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await openWorld();
  client = await (await world.tenant()).as('analyst');
  expect(await client.import(STATE)).toMatchObject({ state: 'COMPLETED' });
});
afterAll(() => world.close());

const arn = (rest: string): string => `arn:aws:${rest}`;
const SUBNET = arn('ec2:eu-west-1:111122223333:subnet/subnet-1');
const VPC = arn('ec2:eu-west-1:111122223333:vpc/vpc-1');
const GROUP = arn('ec2:eu-west-1:111122223333:security-group/sg-1');
const PROFILE = arn('iam::111122223333:instance-profile/web');
const ROLE = arn('iam::111122223333:role/web');
const instance = (n: number): string => arn(`ec2:eu-west-1:111122223333:instance/i-${n}`);

const resource = (type: string, name: string, attributes: Record<string, unknown>) => ({
  ...{ mode: 'managed', type, name, provider: 'provider["registry.terraform.io/hashicorp/aws"]' },
  instances: [{ attributes }],
});
const INSTANCES = 4;
const STATE = {
  ...{ version: 4, terraform_version: '1.9.0', serial: 1, lineage: 'graph' },
  resources: [
    resource('aws_vpc', 'v', { arn: VPC, id: 'vpc-1' }),
    resource('aws_subnet', 's', { arn: SUBNET, id: 'subnet-1', vpc_id: 'vpc-1' }),
    resource('aws_security_group', 'g', { arn: GROUP, id: 'sg-1', vpc_id: 'vpc-1' }),
    resource('aws_iam_role', 'r', { arn: ROLE, id: 'web', name: 'web' }),
    resource('aws_iam_instance_profile', 'p', { arn: PROFILE, id: 'web', name: 'web', role: 'web' }),
    ...Array.from({ length: INSTANCES }, (_, n) =>
      resource('aws_instance', `i${n}`, {
        ...{ arn: instance(n), id: `i-${n}`, subnet_id: 'subnet-1', vpc_security_group_ids: ['sg-1'], iam_instance_profile: 'web' },
      }),
    ),
  ],
};

interface Edge {
  from: string;
  to: string;
  kind: string;
  via: string | null;
}
interface Graph {
  nodes: { resource_uid: string; resource_type: string | null; hops: number }[];
  edges: Edge[];
  cut: boolean;
  cut_at: string | null;
}
const said = (edges: readonly Edge[]): string[] => edges.map(({ from, kind, to }) => `${from} ${kind} ${to}`).sort();
const graph = async (query: string, as = client): Promise<Graph> => (await as.call<Graph>(`/api/v1/inventory/graph?${query}`)).body;
const around = async (uid: string, query = '') =>
  (await client.call<{ edges: Edge[]; cut: boolean }>(`/api/v1/inventory/asset/${encodeURIComponent(uid)}/relationships${query}`)).body;

it('relationships say what attributes mean, with the attribute, by kind and direction', async () => {
  const all = [`${SUBNET} contains ${instance(1)}`, `${instance(1)} guarded_by ${GROUP}`, `${instance(1)} runs_as ${PROFILE}`].sort();
  const { edges, cut } = await around(instance(1));
  expect([said(edges), cut]).toEqual([all, false]);
  expect(edges.find(({ kind }) => kind === 'runs_as')).toMatchObject({ via: 'iam_instance_profile' });
  expect(said((await around(instance(1), '?direction=in')).edges)).toEqual([`${SUBNET} contains ${instance(1)}`]);
  expect(said((await around(instance(1), '?direction=out&kind=runs_as&kind=contains&depth=2')).edges)).toEqual([
    `${instance(1)} runs_as ${PROFILE}`,
    `${PROFILE} runs_as ${ROLE}`,
  ]);
  expect(await client.call(`/api/v1/inventory/asset/${encodeURIComponent(instance(1))}/relationships?kind=owns`)).toMatchObject({
    status: 400,
  });
});

it('a graph is what lies within some hops of where it begins', async () => {
  const from = `resource_uid=${encodeURIComponent(PROFILE)}`;
  const one = await graph(from);
  expect(one.nodes.map(({ resource_uid, hops }) => `${resource_uid} ${hops}`).sort()).toEqual(
    [`${PROFILE} 0`, `${ROLE} 1`, ...Array.from({ length: INSTANCES }, (_, n) => `${instance(n)} 1`)].sort(),
  );
  expect(one).toMatchObject({ cut: false, cut_at: null, node_limit: 200, edge_limit: 500 });
  expect(said(one.edges)).toEqual(
    [`${PROFILE} runs_as ${ROLE}`, ...Array.from({ length: INSTANCES }, (_, n) => `${instance(n)} runs_as ${PROFILE}`)].sort(),
  );
  const two = await graph(`${from}&depth=2`);
  expect(two.nodes.map(({ resource_uid }) => resource_uid)).toEqual(expect.arrayContaining([SUBNET, GROUP]));
  const among = await graph('resource_type=aws_subnet&resource_type=aws_vpc&depth=0');
  expect([among.nodes.length, said(among.edges)]).toEqual([2, [`${VPC} contains ${SUBNET}`]]);
  expect((await graph(`${from}&kind=contains`)).edges).toEqual([]);
});

it('a graph that is cut says where', async () => {
  const from = `resource_uid=${encodeURIComponent(PROFILE)}`;
  const few = await graph(`${from}&limit=3`);
  expect(few).toMatchObject({ cut: true, cut_at: 'nodes', node_limit: 3 });
  expect(few.nodes).toHaveLength(3);
  const uids = new Set(few.nodes.map(({ resource_uid }) => resource_uid));
  expect(few.edges.every((edge) => uids.has(edge.from) && uids.has(edge.to))).toBe(true);
  expect(await graph('resource_type=aws_instance&limit=2&depth=0')).toMatchObject({ cut: true, cut_at: 'seeds' });
  for (const query of ['depth=5', 'depth=-1', 'limit=0', 'limit=501', `${'resource_uid=a&'.repeat(101)}`])
    expect(await client.call(`/api/v1/inventory/graph?${query}`)).toMatchObject({ status: 400 });
});

it('another tenant has none of it', async () => {
  const other = await (await world.tenant()).as('analyst');
  expect(await graph(`resource_uid=${encodeURIComponent(PROFILE)}&depth=4`, other)).toMatchObject({ nodes: [], edges: [] });
  expect(await other.call(`/api/v1/inventory/asset/${encodeURIComponent(PROFILE)}/relationships`)).toMatchObject({ status: 404 });
});

it('what one report tells and another one names meet', async () => {
  const own = await (await world.tenant()).as('analyst');
  const part = (type: string) => ({ ...STATE, lineage: type, resources: STATE.resources.filter((one) => one.type === type) });
  expect(await own.import(part('aws_instance'))).toMatchObject({ state: 'COMPLETED' });
  expect((await graph('resource_type=aws_instance', own)).edges).toEqual([]);
  expect(await own.import(part('aws_subnet'))).toMatchObject({ state: 'COMPLETED' });
  expect(said((await graph('resource_type=aws_subnet', own)).edges)).toEqual(
    Array.from({ length: INSTANCES }, (_, n) => `${SUBNET} contains ${instance(n)}`),
  );
});
