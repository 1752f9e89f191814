import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kind } from 'graphql';
import type { OpenApiDocument } from '../../rest/openapi.js';
import { openWorld, type Client, type World } from '../support/world.js';
import { operationOf } from './operations.js';
import { CLIENT_CHOSEN, ABSENT, endpoints, findingEngines, hasPathParameter, rootFields } from './registry-facts.js';

/** Endpoints whose success may be null (decision 50), each with the reason. */
const NULL_ANSWERS: Readonly<Record<string, string>> = {
  'GET /threat/mitre-coverage/navigator-layer': 'a document of another product, whose shape is not ours to describe',
};
type Schema = { type?: string | string[]; anyOf?: Schema[]; oneOf?: Schema[]; $ref?: string };
type Operation = { description: string; responses: Record<string, { content?: Record<string, { schema: Schema }> }> };

const document = JSON.parse(readFileSync(join(__dirname, '../../schema/openapi.json'), 'utf8')) as OpenApiDocument;
const operationAt = (method: string, path: string) => document.paths[`/api/v1${path}`]![method.toLowerCase()] as unknown as Operation;

const isNullable = ({ type, anyOf = [], oneOf = [], ...rest }: Schema): boolean =>
  [type].flat().includes('null') ||
  [...anyOf, ...oneOf].some(isNullable) ||
  (type === undefined && Object.keys(rest).length === 0 && anyOf.length + oneOf.length === 0);

const routes = [...new Map(endpoints.map((endpoint) => [endpoint.route, endpoint])).values()];

describe('the answer of every endpoint', () => {
  it('is documented as nullable where a null is answered, for a named reason, and nowhere else', () => {
    const nullable = routes.filter(({ route: { method, path, status = 200 } }) => {
      if (status === 204) return false;
      const schemas = Object.values(operationAt(method, path).responses[status]!.content!).map(({ schema }) => schema);
      return schemas.some(isNullable);
    });
    expect(nullable.map(({ route }) => `${route.method} ${route.path}`)).toEqual(Object.keys(NULL_ANSWERS));
  });

  it('that may have nothing to answer is documented with 404', () => {
    const silent = routes.filter(({ route: { method, path }, field }) => {
      const mayBeNull = field.node.type.kind !== Kind.NON_NULL_TYPE && !(`${method} ${path}` in NULL_ANSWERS);
      return (mayBeNull || path.includes('{')) && !('404' in operationAt(method, path).responses);
    });
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it('that is null in the graph when there is none is told to be 404 over REST', () => {
    const told = routes.filter(({ field }) => field.kind === 'query' && field.node.type.kind !== Kind.NON_NULL_TYPE);
    for (const { route, field } of told) {
      expect({ field: field.name, says: field.node.description?.value }).toMatchObject({
        says: expect.stringMatching(/\bnull (when|for) /) as string,
      });
      const { description } = operationAt(route.method, route.path);
      expect({ field: field.name, description }).toMatchObject({ description: expect.stringMatching(/\b404 (when|for) /) as string });
      expect(description).not.toMatch(/\bnull (when|for) /);
    }
  });

  it('can be null in the graph where a path names it, or where something is changed: an error leaves what was changed beside it', () => {
    const nullable = rootFields.filter(
      ({ node, kind, graphOnly }) => node.type.kind !== Kind.NON_NULL_TYPE && kind === 'query' && !graphOnly,
    );
    const named = new Set(endpoints.filter(hasPathParameter).map(({ route }) => route.field));
    expect(nullable.filter(({ name }) => !named.has(name)).map(({ name }) => name)).toEqual([]);
  });
});

describe('what there is none of', () => {
  let world: World;
  let client: Client;
  beforeAll(async () => {
    world = await openWorld();
    client = await (await world.tenant()).as('org_admin');
  });
  afterAll(() => world.close());

  const inGraph = async (name: string) => {
    const field = rootFields.find((one) => one.name === name)!;
    const engine = findingEngines.find((one) => one.engine === field.engine) ?? findingEngines.find((one) => one.engine === 'check')!;
    const { query, variables } = operationOf(field, ABSENT, engine.viewSegment);
    return client.graphql<Record<string, unknown>>(query, variables);
  };
  const targeted = routes.filter((endpoint) => hasPathParameter(endpoint) && !CLIENT_CHOSEN.includes(endpoint.route.field));
  const fieldsOfKind = (kind: 'query' | 'mutation') =>
    targeted.filter(({ field }) => field.kind === kind).map(({ route }) => [route.field] as const);

  it.each(fieldsOfKind('query'))('is null in the graph when %s asks for it', async (name) => {
    const { data, errors = [] } = await inGraph(name);
    expect({ data, codes: errors.map(({ extensions }) => extensions.code) }).toEqual({ data: { [name]: null }, codes: [] });
  });

  it.each(fieldsOfKind('mutation'))('is NOT_FOUND in the graph when %s is to change it, and never a null alone', async (name) => {
    const { data, errors = [] } = await inGraph(name);
    expect(data?.[name] ?? null).toBeNull();
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['NOT_FOUND']);
  });
});
