import { seedTenant } from '../contract/seeds.js';
import { withinTimes } from '../support/within.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
let client: Client;
let viewer: Client;
let listed: { total: number };
const total = () => listed.total;
beforeAll(async () => {
  world = await openWorld();
  const tenant = await world.tenant();
  await seedTenant(tenant, 'cost');
  client = await tenant.as('tenant_admin');
  viewer = await tenant.as('viewer');
  listed = (await client.call<{ total: number }>('/api/v1/check/findings')).body;
});
afterAll(() => world.close());

const send = (payload: unknown) =>
  client.call<{ data?: unknown; errors?: { extensions: { code: string } }[] }>('/graphql', { body: payload });
const repeat = (count: number, make: (index: number) => string) => Array.from({ length: count }, (_, index) => make(index)).join(' ');
const deep = (depth: number) => `{ ${'check_findings { items { rule { '.repeat(depth)} rule_id ${'} } } '.repeat(depth)} }`;

/** What is refused as 400 before anything runs, in the time of a few plain calls. */
async function expectRefused(payload: unknown): Promise<void> {
  const { status, body } = await withinTimes(
    20,
    () => client.call('/api/v1/users/me'),
    () => send(payload),
  );
  expect({ status, code: body.errors?.[0]?.extensions.code, data: body.data }).toEqual({
    status: 400,
    code: 'BAD_REQUEST',
    data: undefined,
  });
}

describe('G2: an operation that costs more to read than to send', () => {
  it('is answered where it is honest', async () => {
    const { status, body } = await send({ query: `{ ${repeat(20, (n) => `a${n}: check_findings(page_size: 1) { total }`)} }` });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ a0: { total: total() }, a19: { total: total() } });
  });

  it.each<[string, unknown]>([
    ['1,000 aliases', { query: `{ ${repeat(1_000, (n) => `a${n}: check_findings { total }`)} }` }],
    ['a batch', [{ query: '{ me { email } }' }, { query: '{ me { email } }' }]],
    ['depth 30', { query: deep(10) }],
    ['a cycle of fragments', { query: '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }' }],
    ['100,000 tokens', { query: `{ ${repeat(100_000, () => 'me')} }` }],
    ['a flood of directives', { query: `{ me { email ${repeat(600, () => '@x')} } }` }],
  ])('%s is refused', async (_name, payload) => expectRefused(payload));
});

describe('G3: a page', () => {
  it('of up to 200 rows is given', async () => {
    expect((await send({ query: '{ check_findings(page_size: 200) { total } }' })).body.data).toEqual({
      check_findings: { total: total() },
    });
    expect((await client.call('/api/v1/check/findings?page_size=200')).status).toBe(200);
  });

  it.each(['1000000000', '-1', '0', '1.5', '201', '"10"', 'null1'])('of %s rows is refused', async (size) => {
    await expectRefused({ query: `{ check_findings(page_size: ${size}) { total } }` });
    expect((await client.call(`/api/v1/check/findings?page_size=${encodeURIComponent(size)}`)).status).toBe(400);
  });

  it('that leads from findings to assets and back again and again is refused, with its cost and the allowance, also to a viewer', async () => {
    const query = '{ check_findings { items { asset { check_findings { asset { check_findings { asset { resource_uid } } } } } } } }';
    const { status, body } = await viewer.call<{ errors: { message: string; extensions: unknown }[] }>('/graphql', { body: { query } });
    // 50 findings, with 50 each, with 50 each: page_size and limit are 50 by default
    const cost = 1 + 1 + 50 * (1 + 1 + 50 * (1 + 1 + 50 * 2));
    expect({ status, errors: body.errors }).toEqual({
      status: 400,
      errors: [
        {
          message: `The operation may answer with ${cost} fields; 50000 are allowed`,
          extensions: { code: 'BAD_REQUEST', detail: { cost, allowance: 50_000 } },
        },
      ],
    });
  });

  it('counts limits and ids of variables, by default and as they are given', async () => {
    const query = (limit: string) =>
      `query($limit: Int = 200, $ids: [String!]!) { check_findings_on(resource_uids: $ids, limit: ${limit}) { items { title asset { check_findings(limit: $limit) { title } } } } }`;
    const ids = Array.from({ length: 100 }, (_, index) => `asset/${index}`);
    await expectRefused({ query: query('10'), variables: { ids } });
    await expectRefused({ query: query('$limit'), variables: { ids, limit: 30 } });
    expect((await send({ query: query('10'), variables: { ids, limit: 10 } })).status).toBe(200);
    expect((await send({ query: query('10'), variables: { ids: ids.slice(0, 10) } })).status).toBe(200);
  });

  it('of assets with their findings with their assets is refused by what it costs', async () => {
    const findings = 'check_findings(limit: 50) { title }';
    const all = ['check', 'vulnerability', 'secops', 'container_security'].map(
      (name) => `${name}_findings(limit: 50) { title description }`,
    );
    expect((await send({ query: `{ assets(page_size: 5) { items { ${findings} } } }` })).status).toBe(200);
    await expectRefused({ query: `{ ${repeat(9, (n) => `a${n}: assets(page_size: 200) { items { ${all.join(' ')} } }`)} }` });
  });
});
