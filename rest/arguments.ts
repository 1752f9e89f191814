import {
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  type GraphQLArgument,
  type GraphQLInputType,
} from 'graphql';
import type { IncomingHttpHeaders } from 'node:http';
import { badRequest, PalisadeError } from '../kit/base/errors.js';
import { readEntityTag } from './entity-tag.js';
import { AFTER_ARGUMENT, BODY_ARGUMENT, UPLOAD_ARGUMENT, type RestRoute } from './routes.js';
import { Mismatch, readText } from './scalars.js';

/** Arguments of a root field by name, as the graph takes them for variables. */
export type Variables = Record<string, unknown>;

/** What of a request says arguments. `target` is the request target as it came, percent-encoded. */
export interface RequestLine {
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

/** Arguments that could be read, and the first fault: permissions are checked before the fault is reported (decision 11). */
export interface ReadArguments {
  readonly variables: Variables;
  readonly fault: PalisadeError | null;
}

/** How the arguments of one route are read, made once at start. */
export interface ArgumentPlan {
  readonly path: readonly { argument: GraphQLArgument; segment: number }[];
  readonly query: ReadonlyMap<string, GraphQLArgument>;
  readonly headers: readonly { argument: GraphQLArgument; header: string }[];
  /** The argument that is the JSON body, or null. */
  readonly body: GraphQLArgument | null;
}

/** Sorts the arguments of a route by where they come from. */
export function planArguments(route: RestRoute): ArgumentPlan {
  const byName = new Map(route.definition.args.map((argument) => [argument.name, argument]));
  const take = (name: string): GraphQLArgument => {
    const argument = byName.get(name)!;
    byName.delete(name);
    return argument;
  };
  const path = route.pathParameters.map(({ name, segment }) => ({ argument: take(name), segment }));
  const headers = Object.entries(route.headers ?? {}).map(([header, name]) => ({ argument: take(name), header }));
  const body = byName.has(BODY_ARGUMENT) ? take(BODY_ARGUMENT) : null;
  if (route.upload) take(UPLOAD_ARGUMENT);
  if (route.mediaTypes) take(AFTER_ARGUMENT);
  return { path, query: byName, headers, body };
}

function decode(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badRequest(`${what} is not valid percent-encoding`);
  }
}

const explain = (where: string, error: unknown): PalisadeError => {
  if (error instanceof Mismatch) return badRequest(`${where} ${error.message}`);
  if (error instanceof PalisadeError) return error;
  throw error;
};

const itemTypeOf = (type: GraphQLInputType): GraphQLInputType | null => {
  const list = getNullableType(type);
  return isListType(list) ? list.ofType : null;
};

/** A list value is split at commas. In a `*_uid`, which may hold anything, an encoded comma is part of the value. */
function splitList(name: string, raw: string): string[] {
  if (name.endsWith('_uid')) return raw.split(',').map((part) => decode(part, `The query parameter ${name}`));
  return decode(raw, `The query parameter ${name}`).split(',');
}

/**
 * The value of a query parameter or form field. Lists take any number of repeated and comma-separated values; a repeated scalar is an
 * error, because a reader that takes the first and one that takes the last would see different requests.
 * @param raw the values given, still percent-encoded
 * @throws PalisadeError BAD_REQUEST
 */
export function readParameter(argument: GraphQLArgument, raw: readonly string[]): unknown {
  const { name } = argument;
  const where = `The query parameter ${name}`;
  try {
    const item = itemTypeOf(argument.type);
    if (item === null) {
      if (raw.length > 1) throw badRequest(`${where} is given more than once`);
      return readText(argument.type, decode(raw[0]!, where), name);
    }
    const values = raw.flatMap((text) => splitList(name, text));
    if (values.includes('')) throw badRequest(`${where} has an empty value`);
    return values.map((value) => readText(item, value, name));
  } catch (error) {
    throw explain(where, error);
  }
}

/** The raw values of each parameter of a query string. `+` means a space there. */
function parseQuery(query: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const cut = pair.indexOf('=');
    const name = decode((cut === -1 ? pair : pair.slice(0, cut)).replaceAll('+', ' '), 'A query parameter');
    const value = cut === -1 ? '' : pair.slice(cut + 1).replaceAll('+', ' ');
    const present = values.get(name);
    if (present) present.push(value);
    else values.set(name, [value]);
  }
  return values;
}

const shown = (name: string): string => (/^[\w.$[\]-]{1,64}$/.test(name) ? `"${name}"` : 'with that name');

function* readQuery(plan: ArgumentPlan, query: string): Iterable<() => [string, unknown]> {
  for (const [name, raw] of parseQuery(query)) {
    yield () => {
      const argument = plan.query.get(name);
      if (argument) return [name, readParameter(argument, raw)];
      const known = plan.query.size > 0 ? `known ones: ${[...plan.query.keys()].join(', ')}` : 'none is known here';
      throw badRequest(`There is no query parameter ${shown(name)}; ${known}`);
    };
  }
}

function* readHeaders(plan: ArgumentPlan, headers: IncomingHttpHeaders): Iterable<() => [string, unknown]> {
  for (const { argument, header } of plan.headers) {
    const given = headers[header];
    if (given === undefined) continue;
    const text = Array.isArray(given) ? given.join(', ') : given;
    yield () => {
      try {
        const isVersion = header === 'if-match' && String(getNullableType(argument.type)) === 'Int';
        return [argument.name, isVersion ? readEntityTag(text) : readText(argument.type, text, argument.name)];
      } catch (error) {
        throw explain(`The header ${header}`, error);
      }
    };
  }
}

function* readPath(plan: ArgumentPlan, path: string): Iterable<() => [string, unknown]> {
  if (plan.path.length === 0) return;
  const segments = path.split('/');
  for (const { argument, segment } of plan.path) {
    yield () => {
      const where = `The path segment ${argument.name}`;
      const text = decode(segments[segment] ?? '', where);
      if (text === '') throw new PalisadeError('NOT_FOUND', 'No such endpoint');
      // No such engine, provider or the like exists, so neither does the path that names it.
      if (isEnumType(getNullableType(argument.type)) && !isKnown(argument.type, text))
        throw new PalisadeError('NOT_FOUND', 'No such endpoint');
      try {
        return [argument.name, readText(argument.type, text, argument.name)];
      } catch (error) {
        throw explain(where, error);
      }
    };
  }
}

function isKnown(type: GraphQLInputType, text: string): boolean {
  const named = isNonNullType(type) ? type.ofType : type;
  return isEnumType(named) && named.getValue(text) != null;
}

/**
 * Reads the arguments that the request line and the headers carry. Path segments are decoded exactly once, from the target as it came,
 * so that an id with `/`, `:`, `%` or a space survives unchanged (decision 4).
 * @param mayComeLater query parameters may also come with the body, so that none is missing yet
 */
export function readArguments(plan: ArgumentPlan, { target, headers }: RequestLine, mayComeLater = false): ReadArguments {
  const variables: Variables = {};
  let fault: PalisadeError | null = null;
  const note = (error: unknown) => {
    if (!(error instanceof PalisadeError)) throw error;
    fault ??= error;
  };
  const end = target.search(/[?#]/);
  const path = end === -1 ? target : target.slice(0, end);
  const query = end === -1 || target[end] === '#' ? '' : target.slice(end + 1);
  for (const source of [readPath(plan, path), readQuery(plan, query), readHeaders(plan, headers)]) {
    try {
      for (const read of source) {
        try {
          const [name, value] = read();
          variables[name] = value;
        } catch (error) {
          note(error);
        }
      }
    } catch (error) {
      note(error);
    }
  }
  for (const argument of plan.query.values()) {
    if (fault === null && !mayComeLater && isRequiredArgument(argument) && variables[argument.name] === undefined)
      note(badRequest(`The query parameter ${argument.name} is required`));
  }
  for (const { argument, header } of plan.headers) {
    if (fault === null && isRequiredArgument(argument) && variables[argument.name] === undefined)
      note(badRequest(`The header ${header} is required`));
  }
  return { variables, fault };
}
