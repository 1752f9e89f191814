import { permissionsOf, type Role } from '../../schema/permissions.js';
import type { AuthContext } from '../../kit/base/auth-context.js';
import type { EngineContext, EngineServices } from '../../kit/engine/context.js';
import { defineEngine, type Engine } from '../../kit/engine/engine.js';
import { notFound } from '../../kit/base/errors.js';
import type { FindingFacts } from '../../kit/engine/finding-facts.js';
import { createLogger, type Logger } from '../../kit/base/logger.js';

/** The caller that tests act as; its tenant is all that the engines below read of the context. */
export const authOf = (role: Role, overrides: Partial<AuthContext> = {}): AuthContext => ({
  tenant_id: 't1',
  organization_id: 'o1',
  plan: 'enterprise',
  user_id: 'u1',
  email: 'u1@example.com',
  name: 'U One',
  session_id: 's1',
  role,
  permissions: permissionsOf(role),
  request_id: 'r1',
  ip_address: '127.0.0.1',
  ...overrides,
});

/** Services of which only the tenant binding is ever touched here. */
export const fakeServices = (): EngineServices => ({ database: { tenant: () => ({}) } }) as unknown as EngineServices;

/** A logger that keeps its lines. */
export function recordingLogger(): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  return { logger: createLogger('warn', { write: (line: string) => void lines.push(line) }), lines };
}

const PAGE = `
  "Where a list stands."
  type Paging @shareable { "Rows in all." total: Int! "Page." page: Int! }
`;

const ASSETS = Array.from({ length: 12 }, (_, index) => ({
  resource_uid: `asset/${index}`,
  name: index === 3 ? null : `asset ${index}`,
  severity: index % 2 ? 'high' : 'low',
  seen_at: new Date(Date.UTC(2030, 0, 1, 0, 0, index)),
  tags: index % 3 ? [`a${index}`, 'b'] : [],
  extra: { depth: { n: index } },
  owner_id: index === 5 ? 'nobody' : `user-${index % 2}`,
}));

type Args = Record<string, never> & {
  page_size: number;
  uid: string;
  value: string;
  engine: string;
  ids: string[];
  n: number;
  since?: Date;
  severity?: string;
};
const assetOf = (uid: string) => ASSETS.find(({ resource_uid }) => resource_uid === uid) ?? null;

/** What the slow engine was told, for the tests of time budgets. */
export const aborted: string[] = [];

const inventory = defineEngine({
  name: 'di',
  label: 'Inventory',
  description: 'Assets.',
  prefixes: ['inventory'],
  typeDefs: `
    ${PAGE}
    "A resource."
    type Asset @key(fields: "resource_uid") { resource_uid: ID! name: String severity: Severity! seen_at: DateTime tags: [String!]! extra: JSON strict: String! broken: String coded: String owner: Owner twin: Asset }
    "A person."
    type Owner @key(fields: "id") { id: ID! }
    "A page."
    type AssetPage { items: [Asset!]! loose: [Asset] paging: Paging! }
    "One of two."
    union Thing = Asset | Owner
    extend type Query {
      assets(page_size: Int = 5, severity: Severity, since: DateTime): AssetPage! @permission(requires: "inventory:read")
      asset(uid: ID!): Asset @permission(requires: "inventory:read")
      things: [Thing!] @permission(requires: "any")
      echo(value: String = "default", list: [Int!], input: EchoInput): String @permission(requires: "any")
      crash: String @permission(requires: "any")
    }
    "What to echo."
    input EchoInput { "Text." text: String! "How bad." severity: Severity = low "Inner." inner: EchoInput }
    type Mutation { bump(n: Int!): Int! @permission(requires: "discoveries:read+scans:create") reset: Boolean @permission(requires: "role:platform_admin") }
  `,
  resolvers: {
    Query: {
      assets: (_: unknown, { page_size, severity, since }: Args) => {
        const rows = ASSETS.filter((row) => (!severity || row.severity === severity) && (!since || row.seen_at >= since)).slice(
          0,
          page_size,
        );
        return { items: rows, loose: [...rows.slice(0, 2), null], paging: { total: rows.length, page: 1 } };
      },
      asset: (_: unknown, { uid }: Args) => assetOf(uid),
      things: () => [
        { __typename: 'Asset', ...ASSETS[0] },
        { __typename: 'Owner', id: 'user-1' },
      ],
      echo: (_: unknown, args: Record<string, unknown>) => JSON.stringify(args),
      crash: () => {
        throw new Error('secret internals of the store');
      },
    },
    Mutation: { bump: async (_: unknown, { n }: Args) => n + 1, reset: () => true },
    Asset: {
      __resolveReference: async ({ resource_uid }: { resource_uid: string }) => assetOf(resource_uid),
      strict: (row: { name: string | null }) => row.name,
      broken: (row: { resource_uid: string }) => {
        if (row.resource_uid === 'asset/1') throw new Error('secret internals');
        return 'whole';
      },
      coded: (row: { resource_uid: string }) => {
        if (row.resource_uid === 'asset/2') throw notFound('Coded thing');
        return 'fine';
      },
      owner: ({ owner_id }: { owner_id: string }) => ({ id: owner_id }),
      twin: ({ resource_uid }: { resource_uid: string }) => assetOf(resource_uid === 'asset/0' ? 'asset/1' : 'asset/0'),
    },
  },
});

const keysFacts = {
  engine: 'encryption',
  viewSegment: 'encryption',
  permission: 'encryption:read',
  ruleType: 'config',
} as unknown as FindingFacts;

const keys = defineEngine(
  {
    name: 'encryption',
    label: 'Encryption',
    description: 'Keys.',
    prefixes: ['encryption'],
    typeDefs: `
      ${PAGE}
      type Asset @key(fields: "resource_uid") { resource_uid: ID! keys(limit: Int = 2): [Key!] key_count: Int secret_keys: [String!] @permission(requires: "encryption:read") frail: String frail_strict: String! }
      type Owner @key(fields: "id") { id: ID! email: String manager: Owner assets: [Asset!] }
      "A key."
      type Key { id: ID! bits: Int! asset: Asset }
      "Keys."
      type KeyPage { items: [Key!]! paging: Paging! }
      extend type Query { keys(page_size: Int = 3): KeyPage @permission(requires: "encryption:read") slow(ms: Int!): String @permission(requires: "any") slow_strict(ms: Int!): String! @permission(requires: "any") }
    `,
    resolvers: {
      Query: {
        keys: (_: unknown, { page_size }: Args) => ({ items: keysOf('asset/1', page_size), paging: { total: 9, page: 1 } }),
        slow: (_: unknown, { ms }: { ms: number }, context: EngineContext) => slowly(ms, context.signal),
        slow_strict: (_: unknown, { ms }: { ms: number }, context: EngineContext) => slowly(ms, context.signal),
      },
      Asset: {
        __resolveReference: (reference: { resource_uid: string }) => (reference.resource_uid === 'asset/4' ? null : { ...reference }),
        keys: ({ resource_uid }: { resource_uid: string }, { limit }: { limit: number }) => keysOf(resource_uid, limit),
        key_count: async () => 2,
        secret_keys: () => ['k'],
        frail: ({ resource_uid }: { resource_uid: string }) => {
          if (resource_uid === 'asset/1') throw new Error('secret');
          return 'ok';
        },
        frail_strict: ({ resource_uid }: { resource_uid: string }) => (resource_uid === 'asset/1' ? null : 'ok'),
      },
      Owner: {
        __resolveReference: async ({ id }: { id: string }) => {
          if (id === 'nobody') throw notFound('Owner');
          return { id };
        },
        email: ({ id }: { id: string }) => `${id}@example.com`,
        manager: ({ id }: { id: string }) => ({ id: `boss-of-${id}` }),
        assets: () => [{ resource_uid: 'asset/0' }, { resource_uid: 'asset/7' }],
      },
    },
  },
  keysFacts,
);

const keysOf = (uid: string, limit: number) =>
  Array.from({ length: limit }, (_, index) => ({ id: `${uid}#${index}`, bits: 256, asset: { resource_uid: uid } }));

function slowly(ms: number, signal: AbortSignal): Promise<string> {
  signal.addEventListener('abort', () => aborted.push(`slow ${ms}`));
  return new Promise((resolve) => setTimeout(() => resolve('done'), ms).unref());
}

const views = defineEngine({
  name: 'findings',
  label: 'Findings',
  description: 'Across engines.',
  prefixes: ['views'],
  typeDefs: `
    "A finding."
    type View { engine: String! id: ID! asset: Asset }
    type Asset @key(fields: "resource_uid") { resource_uid: ID! }
    extend type Query {
      view(engine: String!, id: ID!): View @permission(requires: "{engine}:read")
      views(engines: [String!]): [View!] @permission(requires: "{engines}:read")
      ping: String @permission(requires: "any")
    }
  `,
  resolvers: {
    Query: {
      view: (_: unknown, { engine, id }: Record<string, string>) => ({ engine, id, asset: { resource_uid: id } }),
      views: (_: unknown, { engines }: { engines: string[] }) =>
        engines.map((engine) => ({ engine, id: 'asset/1', asset: { resource_uid: 'asset/1' } })),
      ping: () => 'pong',
    },
  },
});

/** Three engines that join over Asset and Owner. */
export const supportEngines: readonly Engine[] = [inventory, keys, views];
