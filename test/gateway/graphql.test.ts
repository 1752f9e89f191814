import Fastify, { type FastifyInstance } from 'fastify';
import { getIntrospectionQuery } from 'graphql';
import { registerGraphql } from '../../gateway/graphql.js';
import { createGraph } from '../../gateway/graph/graph.js';
import { registerStatusRoutes } from '../../gateway/status.js';
import { createLocalCaller } from '../../gateway/transports/local.js';
import { parseJsonBody } from '../../rest/json-body.js';
import type { PlanReport, PlanStep } from '../../schema/explorer.js';
import { isPermission } from '../../schema/permissions.js';
import { unauthenticated } from '../../kit/base/errors.js';
import type { EngineCaller } from '../../kit/engine/caller.js';
import { authOf, fakeServices, recordingLogger, supportEngines } from './support-engines.js';
import { withinCpu } from '../support/within.js';

let app: FastifyInstance;
let storeIsAway = false;
const charged: number[] = [];

beforeAll(async () => {
  const { logger } = recordingLogger();
  const caller: EngineCaller = createLocalCaller({ engines: supportEngines, services: fakeServices, logger, timeoutMs: 80 });
  const graph = await createGraph({ engines: supportEngines, caller, logger });
  app = Fastify();
  app.removeContentTypeParser('text/plain');
  await registerGraphql(app, {
    graph,
    logger,
    readJson: parseJsonBody,
    authenticate: ({ headers }) => {
      if (headers.authorization === undefined) throw unauthenticated();
      if (headers.authorization === 'store away') throw Object.assign(new Error('connect'), { name: 'MongoServerSelectionError' });
      return authOf(headers.authorization === 'viewer' ? 'viewer' : 'analyst');
    },
    charge: (_reply, _auth, fields) => void charged.push(fields),
  });
  registerStatusRoutes(app, {
    caller,
    engines: supportEngines,
    ping: async () => {
      if (storeIsAway) throw new Error('away');
    },
    version: '1.2.3',
    transport: 'local',
  });
  await app.ready();
  await post({ query: '{ ping }' });
});
afterAll(() => app.close());

const post = async (payload: unknown, authorization: string | undefined = 'analyst') => {
  const headers = { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) };
  const response = await app.inject({
    method: 'POST',
    url: '/graphql',
    headers,
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });
  return {
    status: response.statusCode,
    body: response.json() as {
      data?: unknown;
      errors?: { message: string; extensions: { code: string } }[];
      extensions?: { plan: PlanReport };
    },
  };
};

describe('POST /graphql', () => {
  test('answers, joined and single', async () => {
    expect(
      await post({ query: 'query Q($n: Int) { assets(page_size: $n) { items { name key_count } } ping }', variables: { n: 1 } }),
    ).toMatchObject({
      status: 200,
      body: { data: { assets: { items: [{ name: 'asset 0', key_count: 2 }] }, ping: 'pong' } },
    });
    expect((await post({ query: '{ asset(uid: "asset/2") { name coded } }' })).body).toEqual({
      data: { asset: { name: 'asset 2', coded: null } },
      errors: [{ message: 'Coded thing not found', path: ['asset', 'coded'], extensions: { code: 'NOT_FOUND', detail: null } }],
    });
    expect(charged.at(-1)).toBe(3);
  });

  test('a missing permission rejects the whole operation before any of it runs', async () => {
    expect(await post({ query: '{ ping keys { items { id } } }' }, 'viewer')).toMatchObject({
      status: 403,
      body: { errors: [{ message: 'Missing permission: encryption:read', extensions: { code: 'FORBIDDEN' } }] },
    });
    expect(await post({ query: '{ view(engine: "nope", id: "1") { id } }' })).toMatchObject({
      status: 404,
      body: { errors: [{ extensions: { code: 'NOT_FOUND' } }] },
    });
  });

  describe('the plan of an operation, for who asks for it', () => {
    const explained = (query: string, plan: unknown = true, variables = {}) => post({ query, variables, extensions: { plan } });
    const fetchesOf = (step: PlanStep | null | undefined): Extract<PlanStep, { kind: 'fetch' }>[] =>
      step == null ? [] : step.kind === 'fetch' ? [step] : step.steps.flatMap(fetchesOf);

    test('tells each engine that was asked, in order, with its time and the entities asked for', async () => {
      const { status, body } = await explained('query Q($n: Int) { assets(page_size: $n) { items { name key_count } } }', true, { n: 3 });
      expect([status, body.errors]).toEqual([200, undefined]);
      const { ms, root } = body.extensions!.plan;
      expect(root).toMatchObject({ kind: 'sequence' });
      const [first, second, ...more] = fetchesOf(root);
      expect([first?.engine, first?.path, first?.calls.map(({ entities }) => entities)]).toEqual(['di', [], [null]]);
      expect([second?.path, second?.calls.map(({ entities }) => entities)]).toEqual([['assets', 'items', '@'], [3]]);
      expect(second?.engine).not.toBe('di');
      expect(more).toEqual([]);
      expect(second!.calls[0]!.at).toBeGreaterThanOrEqual(first!.calls[0]!.at);
      expect(ms).toBeGreaterThanOrEqual(second!.calls[0]!.ms);
      // texts of operations, and no value that was sent or answered
      expect(JSON.stringify(root)).not.toContain('asset/');
    });

    test('of one engine, and of none', async () => {
      const alone = '{ asset(uid: "asset/2") { name coded } }';
      expect((await explained(alone)).body.extensions?.plan.root).toMatchObject({
        kind: 'fetch',
        engine: 'di',
        operation: alone,
        calls: [{ entities: null, errors: 1 }],
      });
      expect((await explained('{ __typename }')).body.extensions?.plan.root).toBeNull();
    });

    test('comes to nobody else, and after permissions', async () => {
      for (const plan of [false, null]) expect((await explained('{ ping }', plan)).body).toEqual({ data: { ping: 'pong' } });
      expect(await explained('{ ping }', 'yes')).toMatchObject({
        status: 400,
        body: { errors: [{ extensions: { code: 'BAD_REQUEST' } }] },
      });
      const refused = await post({ query: '{ ping keys { items { id } } }', extensions: { plan: true } }, 'viewer');
      expect([refused.status, refused.body.extensions]).toEqual([403, undefined]);
      expect((await post({ query: '{ ping }', extensions: { plan: true } }, '')).status).toBe(401);
    });
  });

  test('introspection is for the signed-in', async () => {
    expect(await post({ query: getIntrospectionQuery() }, '')).toMatchObject({
      status: 401,
      body: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] },
    });
    const { status, body } = await post({ query: getIntrospectionQuery() }, 'viewer');
    expect(status).toBe(200);
    expect(JSON.stringify(body)).toContain('AssetPage');
    expect(JSON.stringify(body)).not.toContain('_entities');
  });

  test('a store that is away is a 503, not a fault of ours', async () => {
    expect(await post({ query: '{ ping }' }, 'store away')).toMatchObject({
      status: 503,
      body: { errors: [{ message: 'The store is not available', extensions: { code: 'UPSTREAM_UNAVAILABLE' } }] },
    });
  });

  test('an operation that is refused before its cost is known is charged all the same, once', async () => {
    charged.length = 0;
    await post({ query: '{' });
    await post('{"query": ');
    await post({ query: '{ ping keys { items { id } } }' }, 'viewer');
    await post({ query: '{ ping }' }, '');
    expect(charged).toEqual([0, 0, 4]);
  });

  test('an unmeant error says nothing of its cause', async () => {
    expect((await post({ query: '{ crash }' })).body).toEqual({
      data: { crash: null },
      errors: [{ message: 'Internal error', path: ['crash'], extensions: { code: 'INTERNAL', request_id: 'r1' } }],
    });
  });

  test('what a link or a form can send is refused', async () => {
    const get = await app.inject({ url: '/graphql?query={ping}', headers: { authorization: 'analyst' } });
    expect(get.statusCode).toBe(400);
    const form = await app.inject({
      method: 'POST',
      url: '/graphql',
      headers: { authorization: 'analyst', 'content-type': 'text/plain' },
      payload: '{"query":"{ping}"}',
    });
    expect(form.statusCode).toBe(415);
  });
});

const nested = (depth: number) => `{ asset(uid: "asset/0") { ${'twin { '.repeat(depth)} name ${'} '.repeat(depth)} } }`;
const repeat = (count: number, make: (index: number) => string) => Array.from({ length: count }, (_, index) => make(index)).join(' ');
const bomb = `{ ...F0 } ${repeat(40, (i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`)} fragment F40 on Query { ${repeat(25, (i) => `a${i}: ping`)} }`;

describe('what is refused before it runs, in under 50 ms of work', () => {
  test.each<[string, unknown]>([
    ['1,000 aliases', { query: `{ ${repeat(1_000, (i) => `a${i}: ping`)} }` }],
    ['31 aliases', { query: `{ ${repeat(31, (i) => `a${i}: ping`)} }` }],
    ['aliases behind fragments without end', { query: bomb }],
    ['a field 1,900 times', { query: `{ ${repeat(1_900, () => 'ping')} }` }],
    ['depth 30', { query: nested(28) }],
    ['depth 13', { query: nested(11) }],
    ['depth 900', { query: nested(900) }],
    ['100,000 tokens', { query: `{ ${repeat(100_000, () => 'ping')} }` }],
    ['a flood of directives on one field', { query: `{ ping ${repeat(600, () => '@x')} }` }],
    ['a flood of directives that exist', { query: `{ ${repeat(60, (i) => `ping @include(if: ${i % 2 === 0})`)} }` }],
    ['a cycle of fragments', { query: '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }' }],
    ['a long cycle of fragments', { query: `{ ...F0 } ${repeat(300, (i) => `fragment F${i} on Query { ...F${(i + 1) % 300} }`)}` }],
    ['a batch', [{ query: '{ ping }' }, { query: '{ ping }' }]],
    ['an empty batch', []],
    ['no query', { variables: {} }],
    ['a document that does not parse', { query: '{' }],
    ['a field that is not there', { query: '{ _entities { x } }' }],
    ['variables that are no object', { query: '{ ping }', variables: [1] }],
    ['a variable of another type', { query: 'query Q($n: Int) { assets(page_size: $n) { items { name } } }', variables: { n: 'x' } }],
    ['page_size 10^9', { query: '{ assets(page_size: 1000000000) { items { name } } }' }],
    ['page_size -1', { query: 'query Q($n: Int) { assets(page_size: $n) { items { name } } }', variables: { n: -1 } }],
    ['page_size 1.5', { query: '{ assets(page_size: 1.5) { items { name } } }' }],
    [
      'pages in pages',
      { query: '{ assets(page_size: 200) { items { owner { assets { owner { assets { owner { assets { name } } } } } } } } }' },
    ],
    ['no JSON', '{"query": '],
    ['a subscription', { query: 'subscription { x }' }],
  ])('%s', async (_name, payload) => {
    const { status, body } = await withinCpu(50, () => post(payload));
    expect({ status, code: body.errors?.[0]?.extensions.code, data: body.data }).toEqual({
      status: 400,
      code: 'BAD_REQUEST',
      data: undefined,
    });
  });

  test('what is at the limits runs', async () => {
    expect(await post({ query: nested(10) })).toMatchObject({ status: 200 });
    expect(await post({ query: `{ ${repeat(30, (i) => `a${i}: ping`)} }` })).toMatchObject({ status: 200 });
    expect(
      await post({
        query:
          '{ assets(page_size: 200) { items { name severity tags extra seen_at resource_uid owner { email } keys(limit: 1) { id bits } } paging { total } } }',
      }),
    ).toMatchObject({ status: 200 });
  });
});

describe('the status endpoints', () => {
  test('health probes engines and store and is 200 also when degraded', async () => {
    const engines = { di: { status: 'ok' }, encryption: { status: 'ok' }, findings: { status: 'ok' } };
    expect((await app.inject('/gateway/health')).json()).toEqual({
      status: 'ok',
      version: '1.2.3',
      uptime_seconds: expect.any(Number),
      store: { status: 'ok' },
      engines,
    });
    storeIsAway = true;
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    const degraded = await app.inject('/gateway/health');
    expect([degraded.statusCode, degraded.json()]).toMatchObject([200, { status: 'degraded', store: { status: 'down' } }]);
  });

  test('services lists what each engine is', async () => {
    const { services } = (await app.inject('/gateway/services')).json() as { services: { permission: string | null }[] };
    expect(services[1]).toEqual({
      name: 'encryption',
      label: 'Encryption',
      description: 'Keys.',
      prefixes: ['encryption'],
      view_segment: 'encryption',
      permission: 'encryption:read',
      transport: 'local',
      status: 'ok',
    });
    expect(services.every(({ permission }) => permission === null || isPermission(permission))).toBe(true);
  });
});
