// The list route as one would write it by hand, with the MongoDB driver, over the same rows, indexes, session and limits as Palisade: what
// `bench/list` compares with. Equal work: signature, session with its joins, one count of the call in both windows, permission, page, exact total.
// `TOTAL=count` counts documents as most would; `TOTAL=counters` reads Palisade's own counters, the harder opponent. `SERVER=fastify`, or
// `SERVER=node` for node:http and nothing else.
import Fastify from 'fastify';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { importJWK, jwtVerify, type JWK, type CryptoKey, type KeyObject } from 'jose';
import { createPublicKey } from 'node:crypto';
import { MongoClient, type Document } from 'mongodb';
import { FINDING_ITEM } from '../kit/findings/item.js';

const client = await new MongoClient(process.env['MONGODB_URI']!).connect();
const db = client.db(process.env['MONGODB_DB']);
const sessions = db.collection<{ _id: string }>('sessions');
const windows = db.collection<{ _id: string }>('rate_windows');
const findings = db.collection('findings');
const counters = db.collection<{ _id: string; counts: Record<string, number> }>('finding_counters');
const ROLES_WITH_CHECK_READ = new Set(['platform_admin', 'org_admin', 'tenant_admin', 'analyst', 'viewer']);
const projection = { _id: 0, ...Object.fromEntries(Object.keys(FINDING_ITEM).map((field) => [field, 1])) };
const lookup = (from: string, localField: string, as: string) => ({ $lookup: { from, localField, foreignField: '_id', as } });
const JOINS = [
  lookup('users', 'user_id', 'user'),
  lookup('memberships', 'membership_id', 'membership'),
  lookup('tenants', 'tenant_id', 'tenant'),
];

const keys = new Map<string, CryptoKey | KeyObject | Uint8Array>();
for (const row of await db.collection<{ _id: string; public_key: string }>('signing_keys').find().toArray()) {
  keys.set(row._id, await importJWK(createPublicKey(row.public_key).export({ format: 'jwk' }) as JWK, 'EdDSA'));
}

/** Signature, session, user, membership and tenant; null when one does not hold. */
async function signedIn(cookie: string | undefined): Promise<Document | null> {
  const token = /(?:^|; )access_token=([^;]+)/.exec(cookie ?? '')?.[1];
  if (!token) return null;
  const { payload } = await jwtVerify(token, ({ kid }) => keys.get(kid!)!, { algorithms: ['EdDSA'] });
  const [session] = await sessions
    .aggregate([{ $match: { _id: payload['sid'], user_id: payload.sub, tenant_id: payload['tenant_id'] } }, ...JOINS])
    .toArray();
  return session?.['user'][0]?.state === 'active' && session['membership'][0] && session['tenant'][0] ? session : null;
}

/** Counts the call in both windows, or refuses it. */
async function withinLimits(session: Document): Promise<Document | null> {
  const now = Math.floor(Date.now() / 1000);
  const _id = `baseline|${session['tenant_id']}|${Math.floor(now / 3600)}`;
  const minute = `m.${Math.floor((now % 3600) / 60)}`;
  const update = { $inc: { 'h.t': 1, [`${minute}.t`]: 1, [`h.u.${session['user_id']}`]: 1, [`${minute}.u.${session['user_id']}`]: 1 } };
  const free = { _id, 'h.t': { $not: { $gt: 99_999_999 } }, [`${minute}.t`]: { $not: { $gt: 99_999_999 } } };
  return windows.findOneAndUpdate(free, update, { upsert: true, returnDocument: 'after' });
}

async function total(tenant_id: string): Promise<number> {
  if (process.env['TOTAL'] !== 'counters')
    return findings.countDocuments({ tenant_id, engine: 'check', status: { $in: ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'FALSE_POSITIVE'] } });
  const row = await counters.findOne({ _id: `${tenant_id}|check|*` });
  return Object.entries(row?.counts ?? {}).reduce((sum, [key, count]) => (key.includes('|SUPPRESSED|') ? sum : sum + count), 0);
}

interface Answer {
  status: number;
  headers?: Record<string, string | number>;
  body: object;
}

async function answer(cookie: string | undefined, query: { page?: string; page_size?: string }): Promise<Answer> {
  const session = await signedIn(cookie);
  if (!session) return { status: 401, body: { error_code: 'UNAUTHENTICATED' } };
  const counted = await withinLimits(session);
  if (!counted) return { status: 429, body: { error_code: 'RATE_LIMITED' } };
  const headers = { 'x-ratelimit-limit': 1000, 'x-ratelimit-remaining': 999, 'x-ratelimit-reset': 0 };
  if (!ROLES_WITH_CHECK_READ.has(session['membership'][0].role)) return { status: 403, headers, body: { error_code: 'FORBIDDEN' } };
  const page = Number(query.page ?? 1);
  const page_size = Number(query.page_size ?? 50);
  const tenant_id: string = session['tenant_id'];
  const sort = { severity_rank: -1, last_seen_at: -1, finding_id: 1 } as const;
  const [items, all] = await Promise.all([
    findings
      .find(
        { tenant_id, engine: 'check', status: { $in: ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'FALSE_POSITIVE'] } },
        { sort, skip: (page - 1) * page_size, limit: page_size, projection },
      )
      .toArray(),
    total(tenant_id),
  ]);
  return { status: 200, headers, body: { items, total: all, page, page_size, has_more: page * page_size < all } };
}

const PATH = '/api/v1/check/findings';

async function serveByFastify(): Promise<{ url: string; close(): Promise<void> }> {
  const app = Fastify();
  app.get<{ Querystring: { page?: string; page_size?: string } }>(PATH, async (request, reply) => {
    const { status, headers = {}, body } = await answer(request.headers.cookie, request.query);
    return reply.code(status).headers(headers).send(body);
  });
  return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() };
}

async function serveByNode(): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (pathname !== PATH) return void response.writeHead(404).end();
    answer(request.headers.cookie, Object.fromEntries(searchParams)).then(
      ({ status, headers = {}, body }) => {
        const text = JSON.stringify(body);
        response.writeHead(status, { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text);
      },
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

const served = await (process.env['SERVER'] === 'node' ? serveByNode() : serveByFastify());
console.log(served.url);
process.once(
  'SIGTERM',
  () =>
    void served
      .close()
      .then(() => client.close())
      .then(() => process.exit(0)),
);
