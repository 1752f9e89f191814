import { ocsf } from '../support/reports.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const BUCKET = 'arn:aws:s3:::ledger';
const PATH = `/api/v1/inventory/asset/${encodeURIComponent(BUCKET)}/history`;

interface Change {
  scan_run_id: string;
  changed_at: string;
  paths: { path: string; kind: string; before: unknown; after: unknown }[];
  more_paths: number;
}
interface History {
  items: Change[];
  total: number;
}

/** A Terraform state of one bucket. */
const state = (attributes: Record<string, unknown>) => ({
  version: 4,
  terraform_version: '1.9.0',
  serial: 1,
  lineage: 'ledger',
  resources: [
    {
      mode: 'managed',
      type: 'aws_s3_bucket',
      name: 'ledger',
      provider: 'provider["registry.terraform.io/hashicorp/aws"]',
      instances: [{ attributes: { arn: BUCKET, bucket: 'ledger', ...attributes } }],
    },
  ],
});

const see = async (client: Client, scan_run_id: string, attributes: Record<string, unknown>) =>
  expect(await client.import(state(attributes), { scan_run_id })).toMatchObject({ state: 'COMPLETED' });
const history = async (client: Client, query = ''): Promise<History> => (await client.call<History>(`${PATH}${query}`)).body;
/** What every history begins with. */
const ADDED = { event: 'added', paths: [], more_paths: 0 };

it('each run that sees another configuration makes one entry, newest first; one that sees the same makes none', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(client, 'one', { acl: 'private', tags: { team: 'a' } });
  expect(await history(client)).toMatchObject({ items: [{ ...ADDED, scan_run_id: 'one' }], total: 1 });
  await see(client, 'two', { acl: 'private', tags: { team: 'a' } });
  expect(await history(client)).toMatchObject({ total: 1 });
  await see(client, 'three', { acl: 'public-read', tags: { team: 'a' } });
  await see(client, 'four', { acl: 'public-read', tags: { team: 'b' }, force_destroy: true });
  const { items, total } = await history(client);
  expect([total, items.map(({ scan_run_id }) => scan_run_id)]).toEqual([3, ['four', 'three', 'one']]);
  expect(items[1]).toMatchObject({ paths: [{ path: 'acl', kind: 'changed', before: 'private', after: 'public-read' }], more_paths: 0 });
  expect(items[0]!.paths.map(({ path, kind }) => `${path} ${kind}`).sort()).toEqual(['force_destroy added', 'tags.team changed']);
  const second = await history(client, '?page=2&page_size=1');
  expect(second.items).toEqual([items[1]]);
});

it('secrets are in no entry', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(client, 'one', { password: 'correct-horse-battery', acl: 'private' });
  await see(client, 'two', { password: 'staple-of-the-horses', acl: 'log' });
  const answer = await client.call<History>(PATH);
  expect(answer.body.total).toBe(2);
  expect(answer.text).not.toMatch(/horse/);
});

it('is 404 for an asset that the tenant does not have, and another tenant sees nothing of it', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(client, 'one', { acl: 'private' });
  await see(client, 'two', { acl: 'log' });
  const stranger = await (await world.tenant()).as('analyst');
  expect((await stranger.call(PATH)).status).toBe(404);
  await see(stranger, 'own', { acl: 'private' });
  expect(await history(stranger)).toMatchObject({ items: [{ ...ADDED, scan_run_id: 'own' }], total: 1 });
});

it('a finding that names the asset changes nothing', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(client, 'one', { acl: 'private' });
  expect(await client.import(ocsf([{ rule: 'named', resource: BUCKET }]), { scan_run_id: 'scanner' })).toMatchObject({
    state: 'COMPLETED',
  });
  await see(client, 'two', { acl: 'private' });
  expect(await history(client)).toMatchObject({ items: [{ ...ADDED, scan_run_id: 'one' }], total: 1 });
});
