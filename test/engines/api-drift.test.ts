import { Operations } from '../../subgraphs/api-security/request.js';
import { assetChanges } from '../../subgraphs/di/changes/records.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

interface Drift {
  change: string | null;
  scan_run_id: string | null;
  paths: string[];
  seen_by: string[];
  undocumented: string[];
}
interface Endpoints {
  items: { resource_uid: string; kind: string; described: boolean; drift: Drift | null }[];
  total: number;
}

const BASE = 'https://api.example.com/v1';
const operation = (...parameters: string[]) => ({
  parameters: parameters.map((name) => ({ name, in: 'query', schema: { type: 'string' } })),
  responses: { '200': { description: 'Done.' } },
});
const description = (paths: object) => ({
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: BASE }],
  security: [{ session: [] }],
  components: { securitySchemes: { session: { type: 'http', scheme: 'bearer' } } },
  paths,
});

/** A finding of GitLab's DAST at a place. */
const dast = (...places: (readonly [method: string, path: string])[]) => ({
  version: '15.0.0',
  scan: { type: 'dast', status: 'success', scanner: { id: 'zaproxy', name: 'ZAP' } },
  vulnerabilities: places.map(([method, path], n) => ({
    ...{ id: `v${n}`, name: 'Header is missing', severity: 'Low', location: { hostname: 'https://api.example.com', method, path } },
    identifiers: [{ type: 'zap', name: 'ZAP 10021', value: '10021' }],
  })),
});

const endpoints = async (client: Client) => {
  const { body } = await client.call<Endpoints>('/api/v1/apisec/endpoints');
  return Object.fromEntries(body.items.map((item) => [item.resource_uid, item]));
};

it('endpoints tell what a later description has changed, who has scanned them, and what no description has', async () => {
  const client = await (await world.tenant()).as('analyst');
  const first = { '/items': { get: operation('limit') }, '/items/{id}': { get: operation() }, '/old': { get: operation() } };
  await client.import(description(first), { scan_run_id: 'first' });
  const before = await endpoints(client);
  expect(Object.keys(before).sort()).toEqual([`GET ${BASE}/items`, `GET ${BASE}/items/{id}`, `GET ${BASE}/old`, BASE]);
  for (const { drift, described } of Object.values(before))
    expect({ drift, described }).toMatchObject({ drift: { change: null, paths: [], seen_by: [], undocumented: [] }, described: true });

  const second = { '/items': { get: operation('limit', 'q'), post: operation() }, '/items/{id}': { get: operation() } };
  await client.import(description(second), { scan_run_id: 'second' });
  await client.import(dast(['GET', '/v1/items/42'], ['GET', '/v1/admin'], ['GET', '/other']));
  const after = await endpoints(client);
  // what the later description does not have any more is gone
  expect(Object.keys(after)).not.toContain(`GET ${BASE}/old`);
  expect(after[`GET ${BASE}/items`]!.drift).toMatchObject({ change: 'changed', scan_run_id: 'second', paths: ['parameters.query q'] });
  expect(after[`POST ${BASE}/items`]!.drift).toMatchObject({ change: 'added', scan_run_id: 'second' });
  expect(after[`GET ${BASE}/items/{id}`]!.drift).toMatchObject({ change: null, seen_by: ['gitlab-zaproxy'] });
  expect(after[BASE]!.drift).toMatchObject({ change: 'changed', seen_by: ['gitlab-zaproxy'], undocumented: ['GET /v1/admin'] });

  const viewer = await (await world.tenant()).as('viewer');
  expect(await endpoints(viewer)).toEqual({});
});

it('an operation that a later description has added stays added when the history before it is no longer kept', async () => {
  const tenant = await world.tenant();
  const client = await tenant.as('analyst');
  await client.import(description({ '/items': { get: operation() } }), { scan_run_id: 'first' });
  await client.import(description({ '/items': { get: operation() }, '/new': { get: operation() } }), { scan_run_id: 'second' });
  const changeOf = async (uid: string) => (await endpoints(client))[uid]!.drift!.change;
  expect(await Promise.all([`GET ${BASE}/new`, `GET ${BASE}/items`].map(changeOf))).toEqual(['added', null]);
  const kept = world.database.tenant(tenant.tenant._id).collection(assetChanges);
  await kept.remove({ scan_run_id: 'first' });
  expect(await changeOf(`GET ${BASE}/new`)).toBe('added');
  await kept.remove({ resource_uid: BASE });
  expect(await changeOf(`GET ${BASE}/new`)).toBe('added');
});

it('who may not read the engine of a scanner is told nothing of what it saw', async () => {
  const tenant = await world.tenant();
  const [analyst, viewer] = [await tenant.as('analyst'), await tenant.as('viewer')];
  await analyst.import(description({ '/items': { get: operation() } }));
  await analyst.import(dast(['GET', '/v1/items'], ['GET', '/v1/admin']));
  expect((await endpoints(analyst))[BASE]!.drift).toMatchObject({ seen_by: ['gitlab-zaproxy'], undocumented: ['GET /v1/admin'] });
  expect((await endpoints(viewer))[BASE]!.drift).toMatchObject({ seen_by: [], undocumented: [] });
});

it('of APIs whose addresses begin alike, and of those of one report, each ends what is its own alone', async () => {
  const client = await (await world.tenant()).as('analyst');
  const at = (url: string, ...paths: string[]) => ({
    ...description(Object.fromEntries(paths.map((path) => [path, { get: operation() }]))),
    servers: [{ url }],
  });
  const [outer, inner] = ['https://api.example.com', 'https://api.example.com/v1'];
  // documents of YAML, which JSON is
  await client.import([at(outer, '/health'), at(inner, '/items', '/old')].map((one) => JSON.stringify(one)).join('\n---\n'));
  const all = [`GET ${outer}/health`, outer, `GET ${inner}/items`, `GET ${inner}/old`, inner].sort();
  expect(Object.keys(await endpoints(client)).sort()).toEqual(all);
  await client.import(at(inner, '/items', '/old'));
  expect(Object.keys(await endpoints(client)).sort()).toEqual(all);
  await client.import(at(outer, '/health'));
  expect(Object.keys(await endpoints(client)).sort()).toEqual(all);
  await client.import(at(inner, '/items'));
  expect(Object.keys(await endpoints(client)).sort()).toEqual(all.filter((uid) => !uid.endsWith('/old')));
});

it.each([
  ['GET', '/v1/items/42', true],
  ['GET', '/v1/items/42/', true],
  ['POST', '/v1/items/42', false],
  [null, '/v1/items/42', true],
  ['GET', '/v1/items', false],
  ['GET', '/v1/items/42/parts', false],
  ['GET', '/v1/files/a.json', true],
  ['GET', '/v1/files/.json', false],
  ['GET', '/v1/files/a.xml', false],
])('a request %s %s is one of the operations: %j', (method, path, isOne) => {
  const operations = new Operations([`GET ${BASE}/items/{id}`, `GET ${BASE}/files/{name}.json`]);
  expect(operations.have({ method, path })).toBe(isOne);
});

it('a template of many places is matched in a moment', () => {
  const operations = new Operations([`GET ${BASE}/${'{a}'.repeat(40)}!`]);
  const began = process.cpuUsage().user;
  expect(operations.have({ method: 'GET', path: `/v1/${'a'.repeat(4_000)}` })).toBe(false);
  expect(process.cpuUsage().user - began).toBeLessThan(1_000_000);
});
