import { printSchema } from 'graphql';
import { createGraph } from '../../gateway/graph/graph.js';
import type { PlannedOperation } from '../../gateway/graph/planned-operation.js';
import { composeEngines, loadGraph } from '../../gateway/graph/supergraph.js';
import { createLogger } from '../../kit/base/logger.js';
import { defineEngine, type Engine } from '../../kit/engine/engine.js';
import { createRestApi } from '../../rest/api.js';
import { engines } from '../../subgraphs/index.js';
import { supportEngines } from './support-engines.js';

const logger = createLogger('silent');
const caller = { engines: [], call: () => Promise.reject(new Error('nobody is called')) };
const graphOf = (list: readonly Engine[]) => createGraph({ engines: list, caller, logger });
const engine = (name: string, typeDefs: string) =>
  defineEngine({ name, label: name, description: name, prefixes: [], typeDefs, resolvers: {} });

const marked = engine(
  'marked',
  `enum Grade { A, "Between engines." B @inaccessible, C @deprecated(reason: "Use A.") }
   input Asked { grade: Grade, hidden: Int @inaccessible }
   type Hidden @inaccessible { of: Int }
   type Query {
     shown(asked: Asked, inner: Int @inaccessible, old: Int @deprecated(reason: "No use.")): Grade @permission(requires: "any")
     own: Hidden @inaccessible @permission(requires: "any")
   }`,
);

describe('what clients may ask', () => {
  it.each([
    ['the listed engines', () => loadGraph(engines)],
    ['engines that hide and deprecate each kind of thing', () => composeEngines([marked])],
    ['engines of these tests', () => composeEngines(supportEngines)],
  ])('is what Apollo makes of the supergraph of %s', (_name, read) => {
    const { apiSchema, supergraph } = read();
    expect(printSchema(apiSchema)).toBe(printSchema(supergraph.apiSchema().toGraphQLJSSchema()));
  });
});

/** The engines that Apollo's planner asks for an operation. */
const planned = ({ facts }: PlannedOperation): string[] => {
  const { node } = facts.plan();
  return node?.kind === 'Fetch' ? [node.serviceName] : [node?.kind ?? 'nothing'];
};

describe('an operation that one engine answers', () => {
  it('goes to the engine that a plan names, each endpoint of the REST API', async () => {
    const graph = await graphOf(engines);
    const { endpoints } = await createRestApi(graph.apiSchema, engines);
    const operations = endpoints.map(({ route }) => graph.prepare(route.text) as PlannedOperation);
    expect(operations.map(({ way, facts }) => [way, facts.engine])).toEqual(operations.map((one) => ['single', ...planned(one)]));
    expect(operations.length).toBeGreaterThan(100);
  });

  it.each([
    ['fields of two engines at the root', '{ one two }', 'joined'],
    ['a field below it that another engine answers', '{ thing { id other } }', 'joined'],
    ['a condition at the root', 'query ($is: Boolean!) { one @include(if: $is) }', 'apollo'],
    ['a condition in a fragment at the root', 'query ($is: Boolean!) { ...F } fragment F on Query { one @skip(if: $is) }', 'apollo'],
    ['a condition around a fragment at the root', 'query ($is: Boolean!) { ... @include(if: $is) { one } }', 'apollo'],
  ])('is not one of %s', async (_name, query, way) => {
    const graph = await graphOf([
      engine(
        'one',
        'type Thing @key(fields: "id") { id: ID! } type Query { one: Int @permission(requires: "any") thing: Thing @permission(requires: "any") }',
      ),
      engine('two', 'type Thing @key(fields: "id") { id: ID! other: Int } type Query { two: Int @permission(requires: "any") }'),
    ]);
    expect((graph.prepare(query) as PlannedOperation).way).toBe(way);
  });

  it('is found by the planner where engines name fields that others answer', async () => {
    const graph = await graphOf([
      engine(
        'one',
        'type Thing @key(fields: "id") { id: ID! size: Int @external weight: Int @requires(fields: "size") } type Query { thing: Thing @permission(requires: "any") }',
      ),
      engine('two', 'type Thing @key(fields: "id") { id: ID! size: Int } type Query { two: Int @permission(requires: "any") }'),
    ]);
    expect((graph.prepare('{ thing { id size } }') as PlannedOperation).way).toBe('joined');
    expect((graph.prepare('{ thing { weight } }') as PlannedOperation).way).toBe('joined');
    expect((graph.prepare('{ thing { id } }') as PlannedOperation).way).toBe('single');
  });
});
