import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client/core';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { cacheExchange, createClient, fetchExchange } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { auditServer } from 'graphql-http';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { openServers, type Client, type ServersWorld } from '../support/world.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const RESPONSE = 'application/graphql-response+json; charset=utf-8';

let world: ServersWorld;
let client: Client;
beforeAll(async () => {
  world = await openServers('pair');
  const tenant = await world.tenant();
  await (await tenant.as('analyst')).import(readFileSync('demo/reports/prowler-aws.ocsf.json'), { account_id: '111122223333' });
  client = await tenant.as('viewer');
});
afterAll(() => world.close());

interface Seen {
  method: string;
  asked: Record<string, unknown>;
  status: number;
  type: string | null;
}

/** The fetch of a browser that is signed in, and what went through it. `servers` take turns, as behind a load balancer. */
function recordingFetch(servers = [0]): { fetch: typeof fetch; seen: Seen[] } {
  const seen: Seen[] = [];
  const signedIn: typeof fetch = async (input, init = {}) => {
    const url = new URL(String(input));
    const server = world.servers[servers[seen.length % servers.length]!]!;
    const target = `${server.url}${url.pathname}${url.search}`;
    const response = await fetch(target, { ...init, headers: { ...(init.headers as Record<string, string>), cookie: client.cookie! } });
    const asked = init.body ? (JSON.parse(String(init.body)) as Record<string, unknown>) : Object.fromEntries(url.searchParams);
    seen.push({ method: init.method ?? 'GET', asked, status: response.status, type: response.headers.get('content-type') });
    return response;
  };
  return { fetch: signedIn, seen };
}

const LIST = 'query List($size: Int) { check_findings(page_size: $size) { total items { title } } }';
interface List {
  check_findings: { total: number; items: { title: string }[] };
}
const variables = { size: 2 };
const read = (url: string, headers: Record<string, string> = {}) => client.call<{ data?: unknown; errors?: never[] }>(url, { headers });
const search = (parameters: Record<string, unknown>) =>
  `/graphql?${new URLSearchParams(Object.entries(parameters).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)])).toString()}`;
const MARKED = { accept: 'application/graphql-response+json' };

describe('Apollo Client, as it comes', () => {
  const open = (servers: number[], options: object) => {
    const { fetch, seen } = recordingFetch(servers);
    const http = new HttpLink({ uri: `${world.url}/graphql`, fetch });
    const link = 'persisted' in options ? new PersistedQueryLink({ sha256, ...options }).concat(http) : http;
    return { apollo: new ApolloClient({ link, cache: new InMemoryCache() }), seen };
  };

  test('queries by POST', async () => {
    const { apollo, seen } = open([0], {});
    const { data } = await apollo.query<List>({ query: gql(LIST), variables });
    expect(data?.check_findings.items).toHaveLength(2);
    expect(seen).toMatchObject([{ method: 'POST', status: 200, type: RESPONSE }]);
  });

  test('is told of its errors', async () => {
    const { apollo, seen } = open([0], {});
    const failed = apollo.query({ query: gql('{ no_such_field }') });
    await expect(failed).rejects.toMatchObject({ errors: [{ message: expect.stringContaining('no_such_field') }] });
    expect(seen[0]).toMatchObject({ status: 400, type: RESPONSE });
  });

  test.each<[string, { useGETForHashedQueries?: boolean }]>([
    ['by POST', {}],
    ['by GET', { useGETForHashedQueries: true }],
  ])('sends hashes %s, and the document when it is asked for it', async (_name, options) => {
    const query = gql(
      `query ${options.useGETForHashedQueries ? 'ByGet' : 'ByPost'}($size: Int) { check_findings(page_size: $size) { total } }`,
    );
    const { apollo, seen } = open([0], { persisted: true, ...options });
    for (let turn = 0; turn < 2; turn += 1) {
      const { data } = await apollo.query<List>({ query, variables, fetchPolicy: 'network-only' });
      expect(data?.check_findings.total).toBeGreaterThan(2);
    }
    // the hash, which nobody knows; hash and document; the hash alone
    expect(seen.map(({ asked, status }) => ['query' in asked, status])).toEqual([
      [false, 400],
      [true, 200],
      [false, 200],
    ]);
    expect(seen.at(-1)!.method).toBe(options.useGETForHashedQueries ? 'GET' : 'POST');
  });

  test('finds its way when the next process does not know the hash', async () => {
    const { apollo } = open([0, 1], { persisted: true });
    const query = gql('query Both { check_findings(page_size: 1) { total } }');
    for (let turn = 0; turn < 4; turn += 1) {
      const { data } = await apollo.query<List>({ query, fetchPolicy: 'network-only' });
      expect(data?.check_findings.total).toBeGreaterThan(2);
    }
  });
});

describe('urql, as it comes', () => {
  test('queries by GET and mutates by POST', async () => {
    const { fetch, seen } = recordingFetch();
    const urql = createClient({ url: `${world.url}/graphql`, exchanges: [cacheExchange, fetchExchange], fetch });
    expect((await urql.query<List>(LIST, variables)).data?.check_findings.items).toHaveLength(2);
    const refused = await urql.mutation('mutation { read_only: end_session(session_id: "x") }', {});
    expect(refused.error).toBeDefined();
    expect(seen).toMatchObject([
      { method: 'GET', status: 200, type: RESPONSE },
      { method: 'POST', type: RESPONSE },
    ]);
  });

  test('sends hashes', async () => {
    const { fetch, seen } = recordingFetch();
    const persisted = persistedExchange({ generateHash: async (query) => sha256(query), preferGetForPersistedQueries: true });
    const urql = createClient({ url: `${world.url}/graphql`, exchanges: [persisted, fetchExchange], fetch });
    for (let turn = 0; turn < 2; turn += 1)
      expect((await urql.query<List>('query Hashed { check_findings { total } }', {})).data?.check_findings.total).toBeGreaterThan(2);
    expect(seen.map(({ asked, status }) => ['query' in asked, status])).toEqual([
      [false, 400],
      [true, 200],
      [false, 200],
    ]);
  });
});

describe('GraphQL over HTTP', () => {
  test('every audit of its specification passes, but those that want 200 for what was refused', async () => {
    const audited = auditServer({
      url: `${world.url}/graphql`,
      fetchFn: (url: string, init: RequestInit = {}) =>
        fetch(url, {
          ...init,
          headers: { 'apollo-require-preflight': 'true', ...(init.headers as Record<string, string>), cookie: client.cookie! },
        }),
    });
    const results = await audited;
    expect(results.length).toBeGreaterThan(50);
    const failed = results.filter((result) => result.status !== 'ok').map((result) => `${result.status}: ${result.name}`);
    // the specification lets a server answer so, and ours tells every client by its status that nothing has run
    expect(failed).toEqual([
      'warn: SHOULD use 200 status code on document parsing failure when accepting application/json',
      'warn: SHOULD use 200 status code on document validation failure when accepting application/json',
      'warn: SHOULD use a status code of 200 on variable coercion failure when accepting application/json',
    ]);
  });
});

describe('a query by GET', () => {
  const url = search({ query: LIST, variables });

  test.each<[string, Record<string, string>]>([
    ['Accept', MARKED],
    ['Apollo-Require-Preflight', { 'apollo-require-preflight': '1' }],
    ['X-Apollo-Operation-Name', { 'x-apollo-operation-name': 'List' }],
    ['Content-Type', { 'content-type': 'application/json' }],
  ])('needs a header that no form can send: %s', async (_name, headers) => {
    expect((await read(url, { accept: '*/*', ...headers })).status).toBe(200);
  });

  test.each<[string, Record<string, string>, number]>([
    ['a link', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }, 400],
    ['an image', { accept: 'image/avif,image/webp,*/*;q=0.8' }, 400],
    ['a form', { accept: '*/*', 'content-type': 'application/x-www-form-urlencoded' }, 400],
    ['another site', { ...MARKED, 'sec-fetch-site': 'cross-site' }, 403],
    ['another origin of the site', { ...MARKED, 'sec-fetch-site': 'same-site' }, 403],
  ])('is refused from %s', async (_name, headers, status) => {
    const answer = await read(url, headers);
    expect([answer.status, answer.body.data]).toEqual([status, undefined]);
  });

  test('is no way to mutate', async () => {
    const { status, headers, body } = await read(search({ query: 'mutation { __typename }' }), MARKED);
    expect([status, headers.get('allow'), body.data]).toEqual([405, 'POST', undefined]);
    expect((await fetch(`${world.url}/graphql`, { method: 'HEAD', headers: { ...MARKED, cookie: client.cookie! } })).status).toBe(404);
  });

  test.each([
    ['a parameter twice', `${search({ query: '{ __typename }' })}&query=%7Bme%7D`],
    ['variables that are no object', search({ query: LIST, variables: '[1]' })],
    ['variables that are no JSON', search({ query: LIST, variables: '{' })],
    ['no query', '/graphql'],
  ])('with %s is 400', async (_name, target) => {
    expect((await read(target, MARKED)).status).toBe(400);
  });

  test('needs a session and permissions as any call', async () => {
    expect((await world.anonymous.call(url, { headers: MARKED })).status).toBe(401);
    expect((await read(search({ query: '{ users { total } }' }), MARKED)).status).toBe(403);
  });

  test('is not stored by anybody', async () => {
    expect((await read(url, MARKED)).headers.get('cache-control')).toBe('no-store');
  });
});

describe('a persisted query', () => {
  const text = 'query Kept { users { total } }';
  const hash = sha256(text);
  const extensions = { persistedQuery: { version: 1, sha256Hash: hash } };
  const post = (caller: Client, body: unknown) =>
    caller.call<{ errors: { message: string; extensions: { code: string } }[] }>('/graphql', { body });

  test('belongs to the tenant that has sent it, and grants nothing', async () => {
    const one = await world.tenant();
    const admin = await one.as('tenant_admin');
    expect((await post(admin, { query: text, extensions })).status).toBe(200);
    expect((await post(admin, { extensions })).body).toMatchObject({ data: { users: {} } });
    const forViewer = await post(await one.as('viewer'), { extensions });
    expect([forViewer.status, forViewer.body.errors[0]!.extensions.code]).toEqual([403, 'FORBIDDEN']);
    const other = await (await world.tenant()).as('tenant_admin');
    const absent = await post(other, { extensions });
    expect([absent.status, absent.body]).toEqual([
      200,
      { errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }] },
    ]);
  });

  test.each<[string, unknown]>([
    ['another hash', { query: '{ __typename }', extensions }],
    ['another version', { query: text, extensions: { persistedQuery: { version: 2, sha256Hash: hash } } }],
    ['a hash that is none', { extensions: { persistedQuery: { version: 1, sha256Hash: { $ne: '' } } } }],
    ['extensions that are no object', { query: text, extensions: [] }],
  ])('with %s is 400', async (_name, body) => {
    expect((await post(client, body)).status).toBe(400);
  });
});
