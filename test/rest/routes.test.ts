import { buildSchema, print, type GraphQLObjectType } from 'graphql';
import { composeEngines } from '../../gateway/graph/supergraph.js';
import { createRestApi } from '../../rest/api.js';
import { collectRoutes } from '../../rest/routes.js';
import { restView } from '../../rest/view.js';
import type { Engine } from '../../kit/engine/engine.js';
import type { Route } from '../../kit/engine/routes.js';
import { createTestApp } from './support-app.js';
import { assets, engines } from './support-engines.js';

const { apiSchema } = composeEngines(engines);
const withRoutes = (...changed: Route[]): readonly Engine[] => [
  { ...assets, routes: [...assets.routes.filter(({ field }) => !changed.some((route) => route.field === field)), ...changed] },
  ...engines.slice(1),
];
const route = (fields: Partial<Route>): Route => ({ method: 'GET', path: '/inventory/assets', field: 'assets', tag: 't', ...fields });

test('the table of the throwaway engines holds', () => {
  expect(collectRoutes(engines, apiSchema)).toHaveLength(14);
});

test.each<[string, Route, RegExp]>([
  [
    'a duplicate path',
    route({ path: '/inventory/asset/{rule_id}', field: 'rule' }),
    /GET \/inventory\/asset\/\{\} is taken by engine assets, GET \/inventory\/asset\/\{resource_uid\}/,
  ],
  ['a path parameter that is no argument', route({ path: '/inventory/{place}' }), /the path parameter "place" is no argument of assets/],
  ['a header that is no argument', route({ headers: { 'if-match': 'version' } }), /the header argument "version" is no argument/],
  ['a header in upper case', route({ headers: { 'If-Match': 'page' } }), /must be in lower case/],
  [
    'an upload without its argument',
    route({ method: 'POST', path: '/rules/custom', field: 'create_rule', upload: true }),
    /upload argument "upload_id" is no argument/,
  ],
  ['an unknown field', route({ field: 'nope' }), /no such root field as nope/],
  [
    'a field over the graph only',
    route({ path: '/inventory/x/{resource_uid}', field: 'asset_of_graph' }),
    /marked @graphOnly and cannot have a route/,
  ],
  ['a path in upper case', route({ path: '/inventory/Assets' }), /not a path of lower-case/],
  ['a query without a body', route({ path: '/assets/nothing', field: 'owners_count', status: 204 }), /cannot be 204/],
])('%s is a mistake', (_name, changed, message) => {
  expect(() => collectRoutes(withRoutes(changed), apiSchema)).toThrow(message);
});

test('a second route of one field is a mistake', () => {
  const twice = [{ ...assets, routes: [...assets.routes, route({ path: '/inventory/all' })] }, ...engines.slice(1)];
  expect(() => collectRoutes(twice, apiSchema)).toThrow(/the field assets is taken by engine assets, GET \/inventory\/assets/);
});

test('a root field needs a route or a reason, and all mistakes are told at once', () => {
  const less = [{ ...assets, routes: assets.routes.slice(2) }, ...engines.slice(1)];
  expect(() => collectRoutes(less, apiSchema)).toThrow(
    /2 mistake\(s\):\s+Query\.assets has no REST route and is not marked @graphOnly\s+Query\.asset has no REST route/,
  );
});

describe('the view', () => {
  const view = restView(apiSchema, engines);
  test('leaves out what is marked @graphOnly and what only that reaches', () => {
    expect(view.getType('Owner')).toBeUndefined();
    expect(Object.keys(view.getQueryType()!.getFields())).not.toContain('asset_of_graph');
    expect(apiSchema.getType('Owner')).toBeDefined();
  });

  test('has a value where the graph alone may have none', () => {
    const typeIn = (schema: typeof view) => String((schema.getType('Asset') as GraphQLObjectType).getFields()['seen_at']!.type);
    expect([typeIn(apiSchema), typeIn(view)]).toEqual(['DateTime', 'DateTime!']);
  });

  test('makes every document plan to one fetch', async () => {
    const { app, graph } = await createTestApp();
    const api = await createRestApi(apiSchema, engines);
    for (const { route: bound } of api.endpoints) expect([bound.field, graph.prepare(bound.text).way]).toEqual([bound.field, 'single']);
    await app.close();
  });
});

test('SOFA builds documents that select the whole view', async () => {
  const { endpoints } = await createRestApi(apiSchema, engines);
  const { route: bound } = endpoints.find(({ route: { field } }) => field === 'asset')!;
  expect(print(bound.document).replace(/\s+/g, ' ')).toBe(
    'query asset_query($resource_uid: ID!) { asset(resource_uid: $resource_uid) { resource_uid name provider tags seen_at version parent { resource_uid name provider tags seen_at version } } }',
  );
});

test('a required argument below the root cannot be served', async () => {
  const schema = buildSchema('directive @graphOnly on FIELD_DEFINITION type Query { a: A } type A { b(c: Int!): Int }');
  const engine = {
    ...assets,
    document: { kind: 'Document', definitions: [] },
    routes: [route({ path: '/inventory/a', field: 'a' })],
  } as unknown as Engine;
  await expect(createRestApi(schema, [engine])).rejects.toThrow(/a_b_c is a required argument below the root/);
});
