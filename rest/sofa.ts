import { getNamedType, GraphQLObjectType, GraphQLSchema, isEnumType, isObjectType, print, visit, type DocumentNode } from 'graphql';
import { createSofa, createSofaRouter } from 'sofa-api';
import type { RestRoute } from './routes.js';

/** A route with the document that SOFA built for its root field. */
export interface BoundRoute extends RestRoute {
  readonly document: DocumentNode;
  readonly text: string;
}

const ORIGIN = 'http://rest.invalid';
/** A path that stands for `route`: a text, a number and an enum value all read `0` where SOFA parses a path parameter. */
const samplePath = (route: RestRoute): string => route.url.replace(/:[a-z_]+/g, '0');

/** The view with root fields in the order in which their patterns must be tried: SOFA takes the first that matches, so literal segments come first. */
function inMatchingOrder(view: GraphQLSchema, routes: readonly RestRoute[]): GraphQLSchema {
  const rank = new Map(routes.map((route) => [route.field, route.pathParameters.length]));
  const inOrder = (type: GraphQLObjectType | null | undefined) => {
    if (!type) return type;
    const config = type.toConfig();
    const fields = Object.entries(config.fields).sort(([a], [b]) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0));
    return new GraphQLObjectType({ ...config, fields: Object.fromEntries(fields) });
  };
  const { query, mutation, types, ...config } = view.toConfig();
  const others = types.filter((type) => type !== query && type !== mutation);
  return new GraphQLSchema({ ...config, query: inOrder(query), mutation: inOrder(mutation), types: others, assumeValid: true });
}

function assertPathArguments(route: RestRoute): void {
  for (const { name } of route.pathParameters) {
    const type = getNamedType(route.definition.args.find((argument) => argument.name === name)!.type);
    if (!isEnumType(type) && !['String', 'ID', 'Int'].includes(type.name))
      throw new Error(`${route.field}: the path argument ${name} must be a String, ID, Int or enum`);
  }
}

/** A REST document has no place for arguments below the root, and its keys are the field names of the contract. */
function assertPlain(route: RestRoute, document: DocumentNode): void {
  const known = new Set(route.definition.args.map((argument) => argument.name));
  visit(document, {
    VariableDefinition: (node) => {
      const required = node.type.kind === 'NonNullType' && node.defaultValue === undefined;
      if (required && !known.has(node.variable.name.value))
        throw new Error(`${route.field}: ${node.variable.name.value} is a required argument below the root; mark its field @graphOnly`);
    },
    Field: (node) => {
      if (node.alias)
        throw new Error(`${route.field}: ${node.name.value} has different types in one answer, so SOFA renames it to ${node.alias.value}`);
    },
  });
}

/**
 * Lets SOFA bind the routes and build their operations: `method, path -> root field -> a document that selects all of the view`.
 *
 * SOFA's own router is asked once a route, at start, through its `execute` hook, which keeps the document instead of running it. At run
 * time the HTTP server's radix router finds the route and runs the kept document. Asking SOFA's router on every request costs 64 µs
 * for the first route and 560 µs for the 88th, because it scans its patterns one after the other and builds Request and Response
 * objects; it also lets a query string override the body, turns bad enums into 500, and mounts an unauthenticated `/webhook`.
 * None of that is reachable, since no request is ever passed to it.
 *
 * @param view the REST view of the API schema
 * @throws an Error that names the route when SOFA does not bind it to its field, or its document cannot be served over REST
 */
export async function bindOperations(view: GraphQLSchema, routes: readonly RestRoute[]): Promise<BoundRoute[]> {
  let captured: { document: DocumentNode } | null = null;
  const rootOf = (route: RestRoute) => (route.kind === 'query' ? view.getQueryType() : view.getMutationType())!.name;
  const objectTypes = Object.values(view.getTypeMap()).filter(isObjectType);
  const sofa = createSofa({
    basePath: '/',
    schema: inMatchingOrder(view, routes),
    routes: Object.fromEntries(routes.map((route) => [`${rootOf(route)}.${route.field}`, { method: route.method, path: route.url }])),
    // Every type is named here, so that none is taken for a "model" whose nested uses collapse to its id.
    ignore: objectTypes.map((type) => type.name),
    execute: ((input: { document: DocumentNode }) => {
      captured = input;
      return Promise.resolve({ data: {} });
    }) as never,
  });
  const router = createSofaRouter(sofa);
  const bound: BoundRoute[] = [];
  for (const route of routes) {
    assertPathArguments(route);
    captured = null;
    const body = route.method === 'GET' || route.method === 'DELETE' ? undefined : '{}';
    const answer = await router.fetch(`${ORIGIN}${samplePath(route)}`, {
      method: route.method,
      body,
      headers: { 'content-type': 'application/json' },
    });
    const document = (captured as { document: DocumentNode } | null)?.document;
    const operation = document?.definitions[0];
    const field = operation?.kind === 'OperationDefinition' ? operation.selectionSet.selections[0] : undefined;
    if (document === undefined || field?.kind !== 'Field' || field.name.value !== route.field) {
      throw new Error(`SOFA does not bind ${route.method} ${route.path} to ${route.field}: ${await answer.text()}`);
    }
    assertPlain(route, document);
    bound.push({ ...route, document, text: print(document) });
  }
  return bound;
}
