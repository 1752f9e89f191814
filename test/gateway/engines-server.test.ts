import { createHash, randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';
import type { ContextClaims, ContextSigner, ContextVerifier } from '../../gateway/auth-context-token.js';
import { createEnginesServer } from '../../gateway/engines-server.js';
import { createGraph } from '../../gateway/graph/graph.js';
import { createHttpCaller, type HttpCaller } from '../../gateway/transports/http.js';
import { createLocalCaller } from '../../gateway/transports/local.js';
import type { AuthContext } from '../../kit/base/auth-context.js';
import { unauthenticated } from '../../kit/base/errors.js';
import { aborted, authOf, fakeServices, recordingLogger, supportEngines } from './support-engines.js';

/** A token that is the claims themselves: what is signed how is another test's subject. */
const claimsOf = ({ engine, method, path, body }: ContextClaims) =>
  [engine, method, path, createHash('sha256').update(body).digest('hex')].join(' ');
const signer: ContextSigner = {
  sign: async (auth, claims) => Buffer.from(JSON.stringify({ auth, claims: claimsOf(claims), jti: randomUUID() })).toString('base64url'),
};
const shown = new Set<string>();
const verifier: ContextVerifier = {
  async verify(token, expected) {
    if (!token || shown.has(token)) throw unauthenticated('no');
    const { auth, claims } = JSON.parse(Buffer.from(token, 'base64url').toString()) as { auth: AuthContext; claims: string };
    if (claims !== claimsOf(expected)) throw unauthenticated('no');
    shown.add(token);
    return auth;
  },
};

let server: FastifyInstance;
let caller: HttpCaller;
let baseUrl: string;
const { logger, lines } = recordingLogger();
const engines = supportEngines.map(({ name }) => name);

beforeAll(async () => {
  const local = createLocalCaller({ engines: supportEngines, services: fakeServices, logger, timeoutMs: 5_000 });
  server = await createEnginesServer({ runtimes: local.runtimes, verifier, logger, timeoutMs: 5_000 });
  await server.listen({ port: 0, host: '127.0.0.1' });
  baseUrl = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  caller = createHttpCaller({ baseUrl, engines, signer, logger, timeoutMs: 1_000 });
});
afterAll(async () => {
  await caller.close();
  await server.close();
});

test('a graph over HTTP answers as one in the process', async () => {
  const graph = await createGraph({ engines: supportEngines, caller, logger });
  const run = async (query: string, variables = {}) =>
    JSON.parse(JSON.stringify(await graph.execute(graph.prepare(query), { auth: authOf('analyst'), variables })));
  const expected = {
    data: { assets: { items: [{ seen_at: '2030-01-01T00:00:01.000Z', key_count: 2, coded: 'fine', frail: null }] } },
    errors: [{ message: 'Internal error', path: ['assets', 'items', 0, 'frail'], extensions: { code: 'INTERNAL', request_id: 'r1' } }],
  };
  const query =
    'query Q($s: Severity, $t: DateTime = "2030-01-01T00:00:01Z") { assets(page_size: 1, severity: $s, since: $t) { items { seen_at key_count coded frail } } }';
  expect(await run(query, { s: 'high' })).toEqual(expected);
  expect(await run('{ asset(uid: "none") { name } ping }')).toEqual({ data: { asset: null, ping: 'pong' } });
  expect(await run('{ slow(ms: 3000) ping }')).toEqual({
    data: { slow: null, ping: 'pong' },
    errors: [
      {
        message: 'Engine encryption did not answer in 1000 ms',
        path: ['slow'],
        extensions: { code: 'UPSTREAM_UNAVAILABLE', engine: 'encryption' },
      },
    ],
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(aborted).toContain('slow 3000');
  expect(lines.join()).toContain('secret');
});

test('a lesser context is refused by the engine, with its code', async () => {
  const result = await caller.call({ engine: 'encryption', query: '{ keys { items { id } } }', auth: authOf('viewer') });
  expect(result.errors).toMatchObject([{ message: 'Missing permission: encryption:read', extensions: { code: 'FORBIDDEN' } }]);
});

describe('without a valid context everything is a 401', () => {
  const body = JSON.stringify({ query: '{ _service { sdl } }' });
  const post = async (engine: string, token: string | undefined, sent = body) => {
    const headers = { 'content-type': 'application/json', ...(token ? { 'x-auth-context': token } : {}) };
    const response = await fetch(`${baseUrl}/engines/${engine}/graphql`, { method: 'POST', headers, body: sent });
    return { status: response.status, body: await response.json() };
  };
  const tokenFor = (claims: Partial<ContextClaims> = {}) =>
    signer.sign(authOf('viewer'), { engine: 'di', method: 'POST', path: '/engines/di/graphql', body, ...claims });
  const refused = { status: 401, body: { errors: [{ message: expect.any(String), extensions: { code: 'UNAUTHENTICATED' } }] } };

  test('no token, another engine, another body, a replay, another path', async () => {
    expect(await post('di', undefined)).toEqual(refused);
    expect(await post('findings', await tokenFor())).toEqual(refused);
    expect(await post('di', await tokenFor(), '{"query":"{ping}"}')).toEqual(refused);
    expect(await post('di', 'forged')).toEqual(refused);
    const token = await tokenFor();
    expect(await post('di', token)).toMatchObject({ status: 200, body: { data: { _service: { sdl: expect.any(String) } } } });
    expect(await post('di', token)).toEqual(refused);
    expect(await post('unknown', await tokenFor())).toEqual(refused);
    expect((await fetch(`${baseUrl}/engines/di/graphql?query={__typename}`)).status).toBe(401);
    expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200);
  });

  test('introspection is off', async () => {
    const introspection = JSON.stringify({ query: '{ __schema { types { name } } }' });
    expect(await post('di', await tokenFor({ body: introspection }), introspection)).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'BAD_REQUEST' } }] },
    });
  });
});

test('an engine that cannot be reached is named, and its address is not told', async () => {
  const away = createHttpCaller({ baseUrl: 'http://127.0.0.1:1/secret', engines, signer, logger, timeoutMs: 300 });
  const result = JSON.stringify(await away.call({ engine: 'di', query: '{ assets { items { name } } }', auth: authOf('viewer') }));
  expect(JSON.parse(result)).toEqual({
    errors: [{ message: 'Engine di is not available', extensions: { code: 'UPSTREAM_UNAVAILABLE', engine: 'di' } }],
  });
  await away.close();
});
