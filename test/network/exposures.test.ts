import { arn, DB, from, OUT, resource, state, WEB } from './estate.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

interface Exposed {
  resource_uid: string;
  exposure: string;
  ports: { protocol: string; from: number; to: number }[];
  path: { kind: string; outcome: string }[];
  changed_at: string;
}
const see = async (client: Client, scan_run_id: string, report: object) =>
  expect(await client.import(report, { scan_run_id })).toMatchObject({ state: 'COMPLETED' });
const exposures = async (client: Client, query = '') =>
  (await client.call<{ items: Exposed[]; total: number }>(`/api/v1/network-security/exposures?${query}`)).body;
const said = ({ items }: { items: Exposed[] }) =>
  items.map(({ resource_uid, exposure, ports }) =>
    `${resource_uid.split('/').at(-1)} ${exposure} ${ports.map((port) => port.from).join()}`.trim(),
  );
const reach = (client: Client, query: Record<string, string>) =>
  client.call<{ answer: string; hops: { kind: string }[]; stop: { kind: string; resource_uid: string } | null }>(
    `/api/v1/network-security/reachability?${new URLSearchParams(query).toString()}`,
  );

it('exposures follow the networks: what opens, closes and goes', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(client, 'one', state([22, 443]));
  const first = await exposures(client);
  expect([said(first), first.total]).toEqual([['i-web public 22,443', 'i-db private'], 2]);
  expect(first.items[0]!.path.map(({ kind }) => kind)).toEqual(['public_address', 'gateway', 'network_acl', 'firewall']);
  expect(said(await exposures(client, 'exposure=public&port=22'))).toEqual(['i-web public 22,443']);
  for (const none of ['port=23', 'exposure=restricted', 'provider=gcp', 'resource_type=aws_vpc', 'account_id=none'])
    expect(await exposures(client, none)).toMatchObject({ items: [], total: 0 });
  expect((await client.call('/api/v1/network-security/exposures?port=65536')).status).toBe(400);
  await see(client, 'two', state([443]));
  const second = await exposures(client);
  expect(said(second)).toEqual(['i-web public 443', 'i-db private']);
  // what stayed was not written again
  expect(second.items[1]).toEqual(first.items[1]);
  expect(second.items[0]!.changed_at > first.items[0]!.changed_at).toBe(true);
  await see(client, 'three', {
    ...state([443]),
    resources: state([443]).resources.filter(({ name, type }) => !(type === 'aws_instance' && name === 'web')),
  });
  expect(said(await exposures(client))).toEqual(['i-db private']);
});

it('whether packets arrive is told hop by hop, with what stops them', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(client, 'one', state([443]));
  expect((await reach(client, { from: 'internet', to: WEB })).body).toMatchObject({
    answer: 'reachable',
    stop: null,
    port: 443,
    protocol: 'tcp',
  });
  expect((await reach(client, { from: 'internet', to: WEB, port: '22' })).body).toMatchObject({
    ...{ answer: 'blocked', stop: { kind: 'firewall', resource_uid: arn('security-group/sg-web') } },
  });
  expect((await reach(client, { from: WEB, to: DB, port: '5432' })).body).toMatchObject({ answer: 'reachable' });
  expect((await reach(client, { from: DB, to: WEB, port: '22' })).body).toMatchObject({ answer: 'blocked' });
  expect((await reach(client, { from: 'internet', to: DB, port: '5432' })).body).toMatchObject({
    answer: 'blocked',
    stop: { kind: 'public_address' },
  });
});

it('a part that is not shown leaves it open', async () => {
  const client = await (await world.tenant()).as('analyst');
  const { resources, ...rest } = state([443]);
  await see(client, 'one', { ...rest, resources: resources.filter(({ type }) => type !== 'aws_security_group') });
  expect((await reach(client, { from: 'internet', to: WEB })).body).toMatchObject({ answer: 'unknown', stop: { kind: 'firewall' } });
  expect((await exposures(client)).items[0]).toMatchObject({ exposure: 'unknown' });
});

it('bad questions are refused, and what is no part of a network is not found', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(client, 'one', state([443]));
  for (const port of ['0', '65536', '-1', 'ssh']) expect((await reach(client, { from: 'internet', to: WEB, port })).status).toBe(400);
  expect((await reach(client, { from: 'internet', to: WEB, protocol: 'gopher' })).status).toBe(400);
  expect((await reach(client, { from: 'internet', to: WEB, protocol: 'icmp' })).body).toMatchObject({ answer: 'blocked', port: null });
  for (const to of ['absent', arn('vpc/vpc-1')]) expect((await reach(client, { from: 'internet', to })).status).toBe(404);
  expect((await reach(client, { from: 'absent', to: WEB })).status).toBe(404);
  const other = await (await world.tenant()).as('analyst');
  expect((await reach(other, { from: 'internet', to: WEB })).status).toBe(404);
  expect(await exposures(other)).toMatchObject({ items: [], total: 0 });
});

it('rules that are none, and very many of them, hold nothing up', async () => {
  const client = await (await world.tenant()).as('analyst');
  const odd = resource('aws_security_group', 'odd', {
    ...{ arn: arn('security-group/sg-odd'), id: 'sg-odd', vpc_id: 'vpc-1', egress: OUT },
    ingress: [from(22, '10.0.0.300/8', 'nonsense'), ...Array.from({ length: 3_000 }, (_, n) => from(n + 1, `198.51.${n % 256}.0/24`))],
  });
  const vm = resource('aws_instance', 'odd', {
    arn: arn('instance/i-odd'),
    id: 'i-odd',
    subnet_id: 'subnet-1',
    vpc_security_group_ids: ['sg-odd'],
    public_ip: '52.9.9.9',
  });
  await see(client, 'one', state([443], [odd, vm]));
  const { items } = await exposures(client, 'exposure=restricted');
  expect(items).toMatchObject([{ resource_uid: arn('instance/i-odd') }]);
});

it('a management port that the internet gets to is a finding until it is closed', async () => {
  const client = await (await world.tenant()).as('analyst');
  const found = async () =>
    (
      await client.call<{ items: { rule_id: string; status: string; resource_uid: string }[] }>(
        '/api/v1/network-security/findings?page_size=100',
      )
    ).body.items.filter(({ rule_id }) => rule_id === 'palisade-management-port-public');
  await see(client, 'one', state([22, 443]));
  expect(await found()).toMatchObject([{ resource_uid: WEB, status: 'OPEN' }]);
  await see(client, 'two', state([443]));
  expect(await found()).toMatchObject([{ resource_uid: WEB, status: 'RESOLVED' }]);
});
