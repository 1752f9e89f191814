import { readFileSync } from 'node:fs';
import type { GraphQLSchema } from 'graphql';
import { readPlace, writePlace } from '../../console/explorer/address.js';
import { schemaOf, type Me } from '../../console/explorer/graph.js';
import { describeOperation, type OperationFacts } from '../../console/explorer/operation-facts.js';
import { listSubgraphs, narrow } from '../../console/explorer/subgraphs.js';
import { loadGraph } from '../../gateway/graph/supergraph.js';
import { createRestApi } from '../../rest/api.js';
import { explorerGraphOf } from '../../rest/explorer-graph.js';
import type { ExplorerGraph } from '../../schema/explorer.js';
import { permissionsOf, type Role } from '../../schema/permissions.js';
import { engines } from '../../subgraphs/index.js';
import { endpoints, modelFields } from '../contract/registry-facts.js';
import { as, createTestApp } from './support-app.js';

let graph: ExplorerGraph;
let schema: GraphQLSchema;
beforeAll(async () => {
  const { sdl, apiSchema } = loadGraph(engines);
  graph = explorerGraphOf({ supergraphSdl: sdl, apiSchema }, await createRestApi(apiSchema, engines), engines);
  schema = schemaOf(graph);
});

const me = (role: Role): Me => ({ user_id: 'u1', tenant_id: 't1', email: 'u@example.com', role, permissions: permissionsOf(role) });

function factsOf(query: string, role: Role = 'analyst', variables = ''): OperationFacts {
  const described = describeOperation({ schema, graph, me: me(role) }, { query, variables, operationName: null });
  if ('problem' in described) throw new Error(described.problem);
  return described.facts;
}
const heldOf = (facts: OperationFacts) => Object.fromEntries(facts.needs.map(({ words, isHeld }) => [words, isHeld]));

describe('what the explorer knows of the graph', () => {
  it('is told to who is signed in, compressed where that is understood, and kept by no cache', async () => {
    const { app } = await createTestApp();
    const url = '/gateway/explorer/graph.json';
    const refused = await app.inject(url);
    expect([refused.statusCode, refused.json<{ error_code: string }>().error_code]).toEqual([401, 'UNAUTHENTICATED']);
    const plain = await app.inject({ url, headers: as('viewer') });
    const packed = await app.inject({ url, headers: { ...as('viewer'), 'accept-encoding': 'br, gzip' } });
    expect(plain.json<ExplorerGraph>().engines).toContain('assets');
    expect([plain, packed].map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'gzip']);
    expect(plain.headers['cache-control']).toBe('no-store');
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
    await app.close();
  });

  it('names all engines, and of entities who answers for them and who only names them', () => {
    expect(graph.engines).toEqual(engines.map(({ name }) => name).sort());
    const entity = (type: string) => graph.entities.find((one) => one.type === type);
    expect(entity('Asset')).toMatchObject({ keys: ['resource_uid'], resolvedBy: expect.arrayContaining(['check', 'di']) as string[] });
    expect(entity('Rule')).toMatchObject({ resolvedBy: ['rules'], namedBy: expect.arrayContaining(['check']) as string[] });
    expect(graph.fields).toMatchObject({ 'Asset.check_findings': ['check'], 'Query.me': ['identity'] });
  });

  it('gives each REST endpoint to the field that it runs', () => {
    const paths = new Map<string, string[]>();
    for (const { route, field } of endpoints) {
      const coordinate = `${route.method === 'GET' ? 'Query' : 'Mutation'}.${field.node.name.value}`;
      paths.set(coordinate, [...(paths.get(coordinate) ?? []), `${route.method} /api/v1${route.path}`]);
    }
    expect(Object.keys(graph.routes).sort()).toEqual([...paths.keys()].sort());
    for (const [coordinate, known] of paths) expect(known).toContain(graph.routes[coordinate]);
    expect(graph.routes['Query.me']).toBe('GET /api/v1/users/me');
  });

  it('holds nothing of what engines keep between themselves', () => {
    expect(modelFields.length).toBeGreaterThan(10);
    const told = new Set([...Object.keys(graph.fields), ...Object.keys(graph.requirements)]);
    expect(modelFields.map(({ node }) => `Query.${node.name.value}`).filter((coordinate) => told.has(coordinate))).toEqual([]);
    expect(modelFields.filter(({ node }) => schema.getQueryType()!.getFields()[node.name.value])).toEqual([]);
  });

  it('stands in the descriptions that the reference shows', () => {
    const { description } = schema.getQueryType()!.getFields()['me']!;
    expect(description).toMatch(/\n\nEngine `identity` · REST `GET \/api\/v1\/users\/me`$/);
  });
});

describe('what is known of an operation before it runs', () => {
  it('tells root fields with their endpoints, engines, and who may run it', () => {
    const query = '{ me { email } findings(page_size: 10) { items { ...F } } } fragment F on Finding { title }';
    const facts = factsOf(query);
    expect(facts.roots).toEqual([
      { field: 'me', route: 'GET /api/v1/users/me' },
      { field: 'findings', route: graph.routes['Query.findings'] },
    ]);
    expect(facts.engines).toEqual(['findings', 'identity']);
    // findings, items and ten titles; me and email
    expect(facts.cost).toBeGreaterThanOrEqual(14);
    expect(factsOf(query.replace('10', '100')).cost).toBeGreaterThan(facts.cost * 5);
  });

  it('tells a permission that the reader lacks, of entities below as well', () => {
    const query = '{ assets(page_size: 1) { items { resource_uid datasec_findings { title } } } }';
    expect(heldOf(factsOf(query, 'analyst'))).toMatchObject({ 'inventory:read': true });
    const { needs } = factsOf(query, 'viewer');
    expect(needs.find(({ words }) => words === 'datasec:read')).toEqual({
      words: 'datasec:read',
      isHeld: permissionsOf('viewer').includes('datasec:read'),
      fields: ['Asset.datasec_findings'],
    });
  });

  it('reads the engine from an argument or a variable, and says so where neither tells', () => {
    const query = (engine: string, variables = '') =>
      `mutation M${variables} { set_finding_status(engine: ${engine}, id: "1", input: { status: OPEN }) { status } }`;
    const [segment, permission] = Object.entries(graph.readers)[0]!;
    expect(heldOf(factsOf(query(`"${segment}"`)))).toHaveProperty([permission]);
    expect(heldOf(factsOf(query('$e', '($e: String!)'), 'analyst', JSON.stringify({ e: segment })))).toHaveProperty([permission]);
    expect(heldOf(factsOf(query('$e', '($e: String!)')))).toMatchObject({ 'the read permission of what engine names': null });
  });

  it('tells of changes that a person alone makes, and of the proof that they take', () => {
    const needs = heldOf(factsOf('mutation { delete_webhook(id: "1") }', 'tenant_admin'));
    expect(needs).toMatchObject({ 'tenants:write': true, 'a person, no API key': true });
    expect(Object.keys(needs).some((words) => words.startsWith('a proof'))).toBe(true);
  });

  it.each(['', '{', '{ nothing_of_the_kind }', '{ me }', 'fragment F on Finding { title }'])('says what is wrong with %j', (query) => {
    expect(describeOperation({ schema, graph, me: me('viewer') }, { query, variables: '', operationName: null })).toHaveProperty('problem');
  });

  it.each(['{', '[]', '3'])('says that %j are no variables', (variables) => {
    const described = describeOperation({ schema, graph, me: me('viewer') }, { query: '{ me { email } }', variables, operationName: null });
    expect(described).toHaveProperty('problem');
  });
});

describe('the list of engines', () => {
  it('has each root field at the engine that answers it, once', () => {
    const subgraphs = listSubgraphs(graph, schema);
    const roots = subgraphs.flatMap(({ roots: own }) => own.map(({ coordinate }) => coordinate));
    const all = [schema.getQueryType()!, schema.getMutationType()!].flatMap((type) =>
      Object.keys(type.getFields()).map((field) => `${type.name}.${field}`),
    );
    expect(roots.sort()).toEqual(all.sort());
    const check = subgraphs.find(({ engine }) => engine === 'check')!;
    expect(check.additions.find(({ entity }) => entity === 'Asset')?.fields.map(({ name }) => name)).toContain('check_findings');
  });

  it('is narrowed by engine, field, type and REST path', () => {
    const subgraphs = listSubgraphs(graph, schema);
    const names = (text: string) => narrow(subgraphs, text).map(({ engine }) => engine);
    expect(names('Encryption')).toContain('encryption');
    expect(names('check_findings')).toEqual(['check']);
    expect(names('/users/me/sessions')).toEqual(['identity']);
    expect(names('nothing of the kind')).toEqual([]);
  });
});

describe('the address', () => {
  it.each([
    { query: '{ me { email } }', variables: '{"a": "b&c=d#e%"}', panel: 'This query' },
    { query: '# ünïcode\n{ me }', variables: '', panel: '' },
    { query: '', variables: '', panel: '' },
  ])('comes back as it was: $query', (place) => expect(readPlace(writePlace(place))).toEqual(place));
});

test('the examples are the dashboards of docs/graphql.md', () => {
  const shown = [...readFileSync('docs/graphql.md', 'utf8').matchAll(/^## (.*)\n[^]*?^```graphql\n([^]*?)^```$/gm)];
  const list = readFileSync('console/explorer/examples.ts', 'utf8');
  const files = new Map([...list.matchAll(/^import (\w+) from '(.*)';$/gm)].map(([, name, path]) => [name!, path!]));
  const examples = [...list.matchAll(/title: '(.*)', query: (\w+)/g)].map(([, title, name]) => [
    title,
    readFileSync(`console/explorer/${files.get(name!)}`, 'utf8'),
  ]);
  expect(examples).toEqual(shown.map(([, title, query]) => [title, query]));
});
