import { isNonNullType, isRequiredArgument, type GraphQLField, type GraphQLSchema } from 'graphql';
import { API_PREFIX } from '../http/envelope.js';
import type { Engine } from '../kit/engine/engine.js';
import type { Route } from '../kit/engine/routes.js';
import { graphOnlyFields } from './view.js';

export type RootField = GraphQLField<unknown, unknown>;
export type Method = Route['method'];

/** The argument that holds the JSON body. */
export const BODY_ARGUMENT = 'input';
/** The argument of a document in pieces that names the next one. */
export const AFTER_ARGUMENT = 'after';
/** The argument that holds the id of a staged upload. */
export const UPLOAD_ARGUMENT = 'upload_id';

/** The header from which a stream of events goes on. */
export const LAST_EVENT_HEADER = 'last-event-id';

/** One line of the route table: an engine's route, bound to the root field it runs. */
export interface RestRoute extends Route {
  readonly engine: string;
  readonly kind: 'query' | 'mutation';
  readonly status: 200 | 201 | 202 | 204;
  /** Full path in the router's notation: `/api/v1/views/finding/:engine/:id`. */
  readonly url: string;
  /** The same of each alias. */
  readonly aliasUrls: readonly string[];
  /** Names of the path parameters with the number of their segment in the full path, counted from 1. */
  readonly pathParameters: readonly { name: string; segment: number }[];
  readonly definition: RootField;
}

/**
 * Whether a null is something that does not exist, and answered by 404: where the path names something, or a query that asks for a name, and where
 * something is changed, which the body may name. Documents go by it too: a success is never null there (decision 50).
 */
export const isAbsence = ({ kind, pathParameters, definition }: RestRoute): boolean =>
  kind === 'mutation' || pathParameters.length > 0 || definition.args.some(isRequiredArgument);

const PATH_PARAMETER = /^\{([a-z_]+)\}$/;

const segmentsOf = (path: string): string[] => `${API_PREFIX.slice(0, -1)}${path}`.split('/');
const urlOf = (path: string): string =>
  segmentsOf(path)
    .map((text) => text.replace(PATH_PARAMETER, ':$1'))
    .join('/');

function bind(engine: string, route: Route, definition: RootField): RestRoute {
  const segments = segmentsOf(route.path);
  const pathParameters = segments.flatMap((text, segment) => {
    const name = PATH_PARAMETER.exec(text)?.[1];
    return name === undefined ? [] : [{ name, segment }];
  });
  return {
    ...route,
    engine,
    kind: route.method === 'GET' ? 'query' : 'mutation',
    status: route.status ?? 200,
    url: urlOf(route.path),
    aliasUrls: (route.aliases ?? []).map(urlOf),
    pathParameters,
    definition,
  };
}

const afterFirst = (path: string): string => path.replace(/^\/[a-z0-9-]+/, '');

/** What is wrong with one bound route; the texts are for whoever writes an engine. */
function* faultsOf(route: RestRoute): Iterable<string> {
  const names = new Set(route.definition.args.map((argument) => argument.name));
  const has = (name: string, use: string) => (names.has(name) ? [] : [`${use} "${name}" is no argument of ${route.field}`]);
  if (!/^(\/([a-z0-9][a-z0-9-]*|\{[a-z_]+\}))+$/.test(route.path))
    yield `${route.path} is not a path of lower-case segments and {parameters}`;
  for (const alias of route.aliases ?? [])
    if (afterFirst(alias) !== afterFirst(route.path)) yield `the alias ${alias} differs from ${route.path} by more than its first segment`;
  for (const { name } of route.pathParameters) yield* has(name, 'the path parameter');
  for (const name of Object.values(route.headers ?? {})) yield* has(name, 'the header argument');
  for (const name of Object.keys(route.headers ?? {})) if (name !== name.toLowerCase()) yield `the header ${name} must be in lower case`;
  if (route.upload) yield* has(UPLOAD_ARGUMENT, 'the upload argument');
  if (route.mediaTypes) yield* has(AFTER_ARGUMENT, 'the argument of the next piece');
  if (route.upload && names.has(BODY_ARGUMENT)) yield `an upload cannot have the argument ${BODY_ARGUMENT} too`;
  if (route.kind === 'query' && (names.has(BODY_ARGUMENT) || route.upload)) yield 'a GET has no body';
  if (route.events && (route.kind !== 'query' || route.headers?.[LAST_EVENT_HEADER] === undefined))
    yield `a stream of events is a GET with the header ${LAST_EVENT_HEADER}`;
  if (route.status === 204 && isNonNullType(route.definition.type) && route.kind === 'query')
    yield 'a query always has an answer, so its status cannot be 204';
}

/**
 * The route table: the routes of all `engines`, in the order of the list, checked against the graph.
 * @param apiSchema the graph that clients see; a root field marked `@graphOnly` by its engine needs no route: the mark is the reason
 * @throws an Error that lists every mistake: a duplicate, a path parameter that is no argument, a root field that has neither a route nor a reason
 */
export function collectRoutes(engines: readonly Engine[], apiSchema: GraphQLSchema): RestRoute[] {
  const graphOnly = graphOnlyFields(engines);
  const roots = { query: apiSchema.getQueryType(), mutation: apiSchema.getMutationType() };
  const mistakes: string[] = [];
  const routes: RestRoute[] = [];
  const seen = new Map<string, string>();
  const claim = (key: string, owner: string) => {
    const other = seen.get(key);
    if (other === undefined) seen.set(key, owner);
    else mistakes.push(`${owner}: ${key} is taken by ${other}`);
  };
  for (const engine of engines) {
    for (const route of engine.routes) {
      const owner = `engine ${engine.name}, ${route.method} ${route.path}`;
      const root = route.method === 'GET' ? roots.query : roots.mutation;
      const definition = root?.getFields()[route.field];
      if (root == null || definition === undefined) {
        mistakes.push(`${owner}: the graph has no such root field as ${route.field}`);
        continue;
      }
      if (graphOnly.has(`${root.name}.${route.field}`))
        mistakes.push(`${owner}: ${route.field} is marked @graphOnly and cannot have a route`);
      const bound = bind(engine.name, route, definition);
      mistakes.push(...[...faultsOf(bound)].map((fault) => `${owner}: ${fault}`));
      for (const path of [route.path, ...(route.aliases ?? [])]) claim(`${route.method} ${path.replace(/\{[a-z_]+\}/g, '{}')}`, owner);
      claim(`the field ${route.field}`, owner);
      routes.push(bound);
    }
  }
  for (const root of [roots.query, roots.mutation]) {
    for (const field of Object.keys(root?.getFields() ?? {})) {
      if (!seen.has(`the field ${field}`) && !graphOnly.has(`${root!.name}.${field}`))
        mistakes.push(`${root!.name}.${field} has no REST route and is not marked @graphOnly`);
    }
  }
  if (mistakes.length > 0) throw new Error(`The route table has ${mistakes.length} mistake(s):\n  ${mistakes.join('\n  ')}`);
  return routes;
}
