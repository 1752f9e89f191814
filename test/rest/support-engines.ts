import { execute, parse, type GraphQLSchema } from 'graphql';
import { defineEngine, type Engine } from '../../kit/engine/engine.js';
import type { EngineCaller } from '../../kit/engine/caller.js';
import { buildEngineSchema } from '../../kit/engine/schema.js';
import { conflict, notFound, PalisadeError, preconditionFailed } from '../../kit/base/errors.js';
import type { ErrorCode } from '../../schema/error-table.js';

/** Calls that resolvers got, for tests to look at. */
export const calls: { field: string; args: Record<string, unknown> }[] = [];
const seen =
  <R>(field: string, answer: (args: Record<string, unknown>) => R) =>
  (_: unknown, args: Record<string, unknown>) => {
    calls.push({ field, args: structuredClone(args) });
    return answer(args);
  };

const PAGE = `
    "Number of the page, from 1."
    page: Int = 1
    "Rows a page, 1 to 200."
    page_size: Int = 50`;

const asset = (uid: unknown) => ({
  resource_uid: uid,
  name: 'An asset',
  provider: 'aws',
  tags: { team: 'x' },
  seen_at: new Date('2026-01-02T03:04:05.678Z'),
  version: 3,
  parent: null,
});

export const assets: Engine = defineEngine({
  name: 'assets',
  label: 'Assets',
  description: 'Assets for tests.',
  prefixes: ['inventory', 'faults', 'assets', 'rules', 'scans'],
  typeDefs: `
type Asset @key(fields: "resource_uid") {
  "Its id."
  resource_uid: ID!
  "Its name."
  name: String
  "Where it lives."
  provider: Provider!
  "Its tags."
  tags: JSON!
  "When it was seen."
  seen_at: DateTime @nonNullOverRest
  "How often it was changed."
  version: Int!
  "What it lies in."
  parent: Asset
}
type AssetPage {
  "Rows."
  items: [Asset!]!
  "All rows."
  total: Int!
  "Page."
  page: Int!
  "Rows a page."
  page_size: Int!
  "More?"
  has_more: Boolean!
}
"A change of an asset."
input AssetInput {
  "Its name."
  name: String!
  "Where it lives."
  provider: Provider
  "How many."
  count: Int
  "Until when."
  until: DateTime
  "Labels."
  labels: [LabelInput!]
  "Anything."
  extra: JSON
}
"A label."
input LabelInput {
  "Key."
  key: String!
  "Value."
  value: String
}
type Query {
  "Lists assets. With filters."
  assets(${PAGE}
    "Only these severities."
    severity: [Severity!]
    "Only this provider."
    provider: Provider
    "Only these regions."
    region: [String!]
    "Only these resources."
    resource_uid: [String!]
    "Only after this."
    after: DateTime
    "Only exposed ones."
    exposed: Boolean
    "Least risk."
    risk: Float
    "Text."
    q: String
  ): AssetPage! @permission(requires: "inventory:read")
  "One asset; null when there is none."
  asset("Its id." resource_uid: ID!): Asset @permission(requires: "inventory:read")
  "The same, over the graph."
  asset_of_graph("Its id." resource_uid: ID!): Asset @graphOnly @permission(requires: "inventory:read")
  "What an asset reaches."
  blast("Its id." resource_uid: ID!, "How far." depth: Int = 2): Asset @permission(requires: "encryption:read")
  "Fails."
  fail("How." code: String!): Asset @permission(requires: "any")
  "Whether there is anything."
  nothing: Asset @permission(requires: "any")
  "One rule."
  rule("Its id." rule_id: ID!): Asset @permission(requires: "check:read")
  "The parts of a rule."
  rule_parts("Its id." rule_id: ID!, "Its part." part: Int!): Asset @permission(requires: "check:read")
  "Parts of custom rules."
  custom_part("Its part." part: Int!): Asset @permission(requires: "check:read")
}
type Mutation {
  "Makes a rule."
  create_rule("The rule." input: AssetInput!): Asset! @permission(requires: "check:read+tenants:write")
  "Changes an asset."
  change_asset("Its id." resource_uid: ID!, "What." input: AssetInput!, "Version seen." expected_version: Int): Asset! @permission(requires: "inventory:read+tenants:write")
  "Removes an asset."
  remove_asset("Its id." resource_uid: ID!): Boolean @permission(requires: "tenants:write")
  "Scans an asset again."
  rescan("Its id." resource_uid: ID!): Asset @permission(requires: "scans:create")
  "Imports a report."
  import_report("The upload." upload_id: ID!, "Run." scan_run_id: String, "Format." format: String, "How many." limit: Int): ImportedRun! @permission(requires: "scans:create")
}
"A run."
type ImportedRun {
  "The upload."
  upload_id: ID!
  "Its id."
  scan_run_id: String
}
`,
  routes: [
    { method: 'GET', path: '/inventory/assets', field: 'assets', tag: 'inventory' },
    { method: 'GET', path: '/inventory/asset/{resource_uid}', field: 'asset', tag: 'inventory' },
    { method: 'GET', path: '/inventory/asset/{resource_uid}/blast-radius', field: 'blast', tag: 'inventory' },
    {
      method: 'PATCH',
      path: '/inventory/asset/{resource_uid}',
      field: 'change_asset',
      headers: { 'if-match': 'expected_version' },
      tag: 'inventory',
    },
    { method: 'DELETE', path: '/inventory/asset/{resource_uid}', field: 'remove_asset', status: 204, tag: 'inventory' },
    { method: 'POST', path: '/inventory/asset/{resource_uid}/rescan', field: 'rescan', status: 202, tag: 'inventory' },
    { method: 'GET', path: '/faults/{code}', field: 'fail', tag: 'faults' },
    { method: 'GET', path: '/assets/nothing', field: 'nothing', tag: 'faults' },
    { method: 'GET', path: '/rules/{rule_id}', field: 'rule', tag: 'rules' },
    { method: 'GET', path: '/rules/{rule_id}/{part}', field: 'rule_parts', tag: 'rules' },
    { method: 'GET', path: '/rules/custom/{part}', field: 'custom_part', tag: 'rules' },
    { method: 'POST', path: '/rules/custom', field: 'create_rule', status: 201, tag: 'rules' },
    { method: 'POST', path: '/scans/imports', field: 'import_report', upload: true, status: 202, tag: 'scans' },
  ],
  resolvers: {
    Asset: { __resolveReference: (reference: { resource_uid: string }) => asset(reference.resource_uid) },
    Query: {
      assets: seen('assets', ({ page, page_size }) => ({ items: [asset('a'), asset('b')], total: 2, page, page_size, has_more: false })),
      asset: seen('asset', ({ resource_uid }) =>
        resource_uid === 'absent' ? null : resource_uid === 'foreign' ? null : asset(resource_uid),
      ),
      asset_of_graph: (_: unknown, args: { resource_uid: string }) => asset(args.resource_uid),
      blast: seen('blast', ({ resource_uid }) => asset(resource_uid)),
      fail: (_: unknown, { code }: { code: string }) => {
        if (code === 'CRASH') throw new Error('secret internals at /srv/app.js:12 \u001b[31m\r\n{"level":50}');
        throw new PalisadeError(code as ErrorCode, `It is ${code}`, code === 'VALIDATION_ERROR' ? [{ path: 'a', message: 'b' }] : null);
      },
      nothing: () => null,
      rule: seen('rule', ({ rule_id }) => asset(rule_id)),
      rule_parts: seen('rule_parts', ({ rule_id }) => asset(rule_id)),
      custom_part: seen('custom_part', ({ part }) => asset(`custom ${String(part)}`)),
    },
    Mutation: {
      create_rule: seen('create_rule', () => asset('rule')),
      change_asset: seen('change_asset', ({ resource_uid, expected_version }) => {
        if (resource_uid === 'absent') throw notFound('Asset');
        if (expected_version !== undefined && expected_version !== 3) throw preconditionFailed('The asset has another version');
        return { ...asset(resource_uid), version: 4 };
      }),
      remove_asset: seen('remove_asset', () => true),
      rescan: seen('rescan', ({ resource_uid }) => asset(resource_uid)),
      import_report: seen('import_report', ({ upload_id, scan_run_id }) => {
        if (scan_run_id === 'taken') throw conflict('The run is taken');
        return { upload_id, scan_run_id };
      }),
    },
  } as never,
});

export const owners: Engine = defineEngine({
  name: 'owners',
  label: 'Owners',
  description: 'Owners for tests.',
  prefixes: ['owners'],
  typeDefs: `
extend type Asset @key(fields: "resource_uid") {
  "Its id."
  resource_uid: ID! @external
  "Who owns it."
  owner: Owner @graphOnly @permission(requires: "users:read")
}
"An owner."
type Owner {
  "Their name."
  name: String!
}
type Query {
  "Lists nothing."
  owners_count: Int! @permission(requires: "users:read")
}
`,
  routes: [{ method: 'GET', path: '/owners/count', field: 'owners_count', tag: 'owners' }],
  resolvers: { Asset: { owner: () => ({ name: 'Ada' }) }, Query: { owners_count: () => 7 } } as never,
});

export const engines: readonly Engine[] = [assets, owners];

/** Runs the engines in this process, without contexts or budgets. */
export function plainCaller(list: readonly Engine[] = engines): EngineCaller {
  const schemas = new Map<string, GraphQLSchema>(list.map((engine) => [engine.name, buildEngineSchema(engine)]));
  const documents = new Map<string, ReturnType<typeof parse>>();
  const call = async ({ engine, query, variables }: { engine: string; query: string; variables?: Readonly<Record<string, unknown>> }) => {
    const document = documents.get(query) ?? parse(query);
    documents.set(query, document);
    return execute({ schema: schemas.get(engine)!, document, variableValues: variables });
  };
  return { engines: list.map(({ name }) => name), call: call as unknown as EngineCaller['call'] };
}
