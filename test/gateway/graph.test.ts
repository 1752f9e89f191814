import { createGraph } from '../../gateway/graph/graph.js';
import type { PlannedOperation } from '../../gateway/graph/planned-operation.js';
import type { Graph } from '../../gateway/graph/types.js';
import { createLocalCaller, type LocalCaller } from '../../gateway/transports/local.js';
import type { AuthContext } from '../../kit/base/auth-context.js';
import { defineEngine } from '../../kit/engine/engine.js';
import type { EngineCall, EngineCaller } from '../../kit/engine/caller.js';
import { aborted, authOf, fakeServices, recordingLogger, supportEngines } from './support-engines.js';

let graph: Graph;
let caller: LocalCaller;
const { logger, lines } = recordingLogger();
const calls: EngineCall[] = [];

beforeAll(async () => {
  caller = createLocalCaller({ engines: supportEngines, services: fakeServices, logger, timeoutMs: 80 });
  const counting: EngineCaller = { engines: caller.engines, call: (call) => (calls.push(call), caller.call(call)) };
  graph = await createGraph({ engines: supportEngines, caller: counting, logger, localSchemas: caller.schemas });
});
beforeEach(() => void (calls.length = 0));

const error = (work: () => unknown): string => {
  try {
    work();
  } catch (thrown) {
    const { code, message } = thrown as { code: string; message: string };
    return `${code}: ${message}`;
  }
  return 'allowed';
};
const ask = (query: string, auth: AuthContext, variables = {}) => error(() => graph.authorize(graph.prepare(query), { auth, variables }));

describe('the permission guard', () => {
  const view = '{ view(engine: "encryption", id: "asset/1") { id } }';
  const viewVariable = 'query Q($e: String!) { view(engine: $e, id: "x") { id } }';
  const viewDefault = 'query Q($e: String = "encryption") { views(engines: [$e]) { id } }';
  const denied = 'FORBIDDEN: Missing permission: encryption:read';
  test.each([
    ['a viewer reads what the matrix gives it', '{ assets { items { name } } }', 'viewer', {}, 'allowed'],
    ['a viewer does not read keys', '{ keys { items { id } } }', 'viewer', {}, denied],
    ['an analyst reads keys', '{ keys { items { id } } }', 'analyst', {}, 'allowed'],
    ['a field of an entity needs its own permission', '{ assets { items { name secret_keys } } }', 'viewer', {}, denied],
    [
      'a field of an entity behind fragments',
      '{ ...Q } fragment Q on Query { things { ... on Asset { ...S } } } fragment S on Asset { secret_keys }',
      'viewer',
      {},
      denied,
    ],
    ['a field that is switched off still needs it', '{ assets { items { name secret_keys @include(if: false) } } }', 'viewer', {}, denied],
    ['any signed-in user', '{ ping echo __typename }', 'viewer', {}, 'allowed'],
    ['introspection', '{ __schema { queryType { name } } }', 'viewer', {}, 'allowed'],
    ['joined permissions, one missing', 'mutation { bump(n: 1) }', 'viewer', {}, 'FORBIDDEN: Missing permission: scans:create'],
    ['joined permissions, both held', 'mutation { bump(n: 1) }', 'analyst', {}, 'allowed'],
    ['a role', 'mutation { reset }', 'org_admin', {}, 'FORBIDDEN: Missing role: platform_admin'],
    ['the role itself', 'mutation { reset }', 'platform_admin', {}, 'allowed'],
    ['an engine named by a literal', view, 'viewer', {}, denied],
    ['an engine named by a literal, held', view, 'analyst', {}, 'allowed'],
    ['an engine named by a variable', viewVariable, 'viewer', { e: 'encryption' }, denied],
    ['an engine named by a variable, held', viewVariable, 'analyst', { e: 'encryption' }, 'allowed'],
    ['an unknown engine', viewVariable, 'analyst', { e: 'nope' }, 'NOT_FOUND: Engine not found'],
    ['an engine that has no findings', viewVariable, 'analyst', { e: 'di' }, 'NOT_FOUND: Engine not found'],
    ['a name of every object', viewVariable, 'analyst', { e: 'constructor' }, 'NOT_FOUND: Engine not found'],
    ['engines in a list with a default', viewDefault, 'viewer', {}, denied],
    ['403 comes before 404', `{ view(engine: "nope", id: "x") { id asset { secret_keys } } }`, 'viewer', {}, denied],
  ] as const)('%s', (_name, query, role, variables, expected) => expect(ask(query, authOf(role), variables)).toBe(expected));

  test('a bad document is BAD_REQUEST and is not kept', () => {
    expect(error(() => graph.prepare('{ nope }'))).toContain('BAD_REQUEST: Cannot query field "nope"');
    expect(error(() => graph.prepare('{'))).toContain('BAD_REQUEST: Syntax Error');
    expect(error(() => graph.prepare('query A { ping } query B { ping }'))).toContain('BAD_REQUEST');
    expect(error(() => graph.prepare('{ assets(since: "never") { items { name } } }'))).toContain('BAD_REQUEST');
    expect(error(() => graph.prepare('query Q($representations: [Int!]) { echo(list: $representations) }'))).toContain('reserved');
  });

  test('a document with two operations runs the one that is named', async () => {
    const operation = graph.prepare('query A { ping } query B { echo }', 'A');
    expect(await graph.execute(operation, { auth: authOf('viewer') })).toEqual({ data: { ping: 'pong' } });
    expect(graph.prepare('query A { ping } query B { echo }', 'A')).toBe(operation);
  });
});

describe('engines check again', () => {
  const read = (engine: string, query: string, auth: AuthContext, variables = {}) => caller.call({ engine, query, auth, variables });
  const entities = 'query Q($representations: [_Any!]!) { _entities(representations: $representations) { ... on Asset { secret_keys } } }';
  const asset = { __typename: 'Asset', resource_uid: 'asset/1' };
  const codes = async (result: ReturnType<typeof read>) => (await result).errors?.map(({ extensions }) => extensions.code);

  test('a root field, an entity field and a named engine are refused to a lesser context than the gateway allowed', async () => {
    const forged = authOf('analyst', { permissions: ['inventory:read'] });
    expect(await read('encryption', '{ keys { items { id } } }', forged)).toMatchObject({
      errors: [{ message: 'Missing permission: encryption:read' }],
    });
    expect(await read('encryption', entities, forged, { representations: [asset] })).toMatchObject({
      errors: [{ message: 'Missing permission: encryption:read' }],
    });
    expect(await codes(read('findings', '{ view(engine: "encryption", id: "x") { id } }', forged))).toEqual(['FORBIDDEN']);
    expect(await read('encryption', entities, authOf('analyst'), { representations: [asset] })).toEqual({
      data: { _entities: [{ secret_keys: ['k'] }] },
    });
  });

  test('_service and _entities need a context', async () => {
    const nobody = undefined as unknown as AuthContext;
    expect(await codes(read('encryption', '{ _service { sdl } }', nobody))).toEqual(['UNAUTHENTICATED']);
    expect(await codes(read('encryption', entities, nobody, { representations: [asset] }))).toEqual(['UNAUTHENTICATED']);
    expect(await codes(read('encryption', '{ _service { sdl } }', authOf('viewer', { tenant_id: '' })))).toEqual(['UNAUTHENTICATED']);
  });

  test('more than 1,000 representations are refused, and introspection is', async () => {
    const many = (count: number) => ({ representations: Array.from({ length: count }, () => asset) });
    expect(await codes(read('encryption', entities, authOf('analyst'), many(1_001)))).toEqual(['BAD_REQUEST']);
    expect(await codes(read('encryption', entities, authOf('analyst'), many(1_000)))).toBeUndefined();
    expect(await codes(read('encryption', '{ __schema { types { name } } }', authOf('analyst')))).toEqual(['BAD_REQUEST']);
    expect(await codes(read('nowhere', '{ x }', authOf('analyst')))).toEqual(['UPSTREAM_UNAVAILABLE']);
  });
});

describe('the plan executor', () => {
  const run = (query: string, variables = {}) => graph.execute(graph.prepare(query), { auth: authOf('analyst'), variables });

  test('asks for each entity once', async () => {
    await run('{ assets(page_size: 12) { items { owner { email } } } }');
    expect(calls.map(({ engine }) => engine)).toEqual(['di', 'encryption']);
    expect(calls[1]!.variables!.representations).toHaveLength(3);
  });

  test('an operation of one engine is one call with the text of the client', async () => {
    const query = '{ assets(page_size: 1) { items { n: name } } }';
    expect(graph.prepare(query)).toMatchObject({ way: 'single', kind: 'query', fields: 3 });
    await run(query);
    expect(calls).toMatchObject([{ engine: 'di', query }]);
  });

  test('introspection and conditions around a fetch go to Apollo', async () => {
    expect(graph.prepare('{ __schema { queryType { name } } ping }').way).toBe('apollo');
    expect(await run('{ __schema { queryType { name } } ping }')).toEqual({
      data: { __schema: { queryType: { name: 'Query' } }, ping: 'pong' },
    });
    const conditional = graph.prepare('query Q($on: Boolean = true) { ping @include(if: $on) }') as PlannedOperation;
    expect(await graph.execute(conditional, { auth: authOf('viewer'), variables: { on: false } })).toEqual({ data: {} });
    expect(await graph.execute(conditional, { auth: authOf('viewer') })).toEqual({ data: { ping: 'pong' } });
  });

  test('a slow engine is given up in its budget, told so, and named; the others keep their fields', async () => {
    aborted.length = 0;
    // far longer than the test may take
    const result = await run('{ slow(ms: 3600000) assets(page_size: 1) { items { name } } }');
    expect(JSON.parse(JSON.stringify(result))).toEqual({
      data: { slow: null, assets: { items: [{ name: 'asset 0' }] } },
      errors: [
        {
          message: 'Engine encryption did not answer in 80 ms',
          path: ['slow'],
          extensions: { code: 'UPSTREAM_UNAVAILABLE', engine: 'encryption' },
        },
      ],
    });
    expect(aborted).toEqual(['slow 3600000']);
  });

  test('a client that leaves aborts the engines', async () => {
    aborted.length = 0;
    const controller = new AbortController();
    const result = graph.execute(graph.prepare('{ slow(ms: 3000) }'), { auth: authOf('viewer'), signal: controller.signal });
    setTimeout(() => controller.abort(), 10);
    expect((await result).errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE', engine: 'encryption' } }]);
    expect(aborted).toEqual(['slow 3000']);
    const late = await graph.execute(graph.prepare('{ slow(ms: 1) }'), { auth: authOf('viewer'), signal: AbortSignal.abort() });
    expect(late.data).toEqual({ slow: null });
  });

  test('an unmeant error is told as INTERNAL with the request id, and logged with its cause', async () => {
    lines.length = 0;
    const result = JSON.stringify(await run('{ crash }'));
    expect(JSON.parse(result)).toEqual({
      data: { crash: null },
      errors: [{ message: 'Internal error', path: ['crash'], extensions: { code: 'INTERNAL', request_id: 'r1' } }],
    });
    expect(lines.join()).toContain('secret internals of the store');
  });
});

describe('composition', () => {
  const engine = (name: string, typeDefs: string) =>
    defineEngine({ name, label: name, description: name, prefixes: [], typeDefs, resolvers: {} });
  const compose = (...engines: ReturnType<typeof engine>[]) => createGraph({ engines, caller, logger });

  test('engines that disagree on a permission do not compose', async () => {
    const field = (requires: string) => `type Query { both: String @shareable @permission(requires: "${requires}") }`;
    await expect(compose(engine('one', field('check:read')), engine('two', field('iam:read')))).rejects.toThrow(/Query\.both/);
  });

  test('what does not compose names engine and field', async () => {
    const one = engine('one', 'type Query { a: String @permission(requires: "any") }');
    const two = engine('two', 'type Query { a: String @permission(requires: "any") }');
    await expect(compose(one, two)).rejects.toThrow(/"Query\.a".*"one".*"two"/s);
  });
});
