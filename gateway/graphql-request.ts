import type { FastifyRequest } from 'fastify';
import { badRequest, forbidden, PalisadeError } from '../kit/base/errors.js';

/** An operation as a client asks for it. */
export interface GraphqlRequest {
  /** The document; null where the client sends only its hash. */
  readonly query: string | null;
  readonly operationName: string | undefined;
  readonly variables: Record<string, unknown>;
  /** SHA-256 of the document in hex, of a persisted query; null for any other. */
  readonly hash: string | null;
  /** Whether the answer is to tell how the operation ran. */
  readonly explain: boolean;
}

/** Reads a JSON text of a request, within the same limits as a body. Throws a PalisadeError. */
export type ReadJson = (text: string) => unknown;

/** The media type of a response whose HTTP status tells what became of the operation, and the older one. */
export const GRAPHQL_RESPONSE = 'application/graphql-response+json';
const JSON_TYPE = 'application/json';

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The weight that an Accept header gives to a media type by its name or by a range; 0 where it names neither. */
function weightOf(accept: string, type: string): number {
  const ranges = accept.split(',').map((part) =>
    part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/),
  );
  for (const name of [type, `${type.split('/', 1)[0]}/*`, '*/*']) {
    const range = ranges.find(([given]) => given === name);
    if (range) return Number(range.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1) || 0;
  }
  return 0;
}

const namesGraphqlResponse = (accept: string | undefined): boolean => accept?.toLowerCase().includes(GRAPHQL_RESPONSE) ?? false;

/**
 * The content type of a response (GraphQL over HTTP, "Accept"): `application/graphql-response+json` for a client that names it and likes it
 * no less than `application/json`, which all others get.
 */
export function responseType(accept: string | undefined): string {
  const preferred =
    accept !== undefined && namesGraphqlResponse(accept) && weightOf(accept, GRAPHQL_RESPONSE) >= weightOf(accept, JSON_TYPE);
  return `${preferred ? GRAPHQL_RESPONSE : JSON_TYPE}; charset=utf-8`;
}

/**
 * Refuses a GET that a link, an image or a form of any site could make the browser send (decision 64): it must carry a header that they
 * cannot, and it must not come from another site.
 * @throws PalisadeError BAD_REQUEST, FORBIDDEN
 */
export function assertNoNavigation({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw forbidden('The request comes from another site');
  const marked =
    namesGraphqlResponse(headers.accept) ||
    [headers['apollo-require-preflight'], headers['x-apollo-operation-name']].some(Boolean) ||
    /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '');
  if (!marked) throw badRequest(`A query by GET needs the header "Accept: ${GRAPHQL_RESPONSE}" or "Apollo-Require-Preflight: true"`);
}

function objectOf(name: string, value: unknown): Record<string, unknown> {
  if (value == null) return {};
  if (!isObject(value)) throw badRequest(`${name} must be an object`);
  return value;
}

function textOf(name: string, value: unknown): string | null {
  if (value == null) return null;
  if (typeof value !== 'string') throw badRequest(`${name} must be a string`);
  return value;
}

/** The hash of a persisted query, as Apollo's clients and urql send it. */
function hashOf(extensions: unknown): string | null {
  const { persistedQuery } = objectOf('extensions', extensions);
  if (persistedQuery == null) return null;
  const { version, sha256Hash } = objectOf('extensions.persistedQuery', persistedQuery);
  if (version !== 1) throw badRequest('extensions.persistedQuery.version must be 1');
  if (typeof sha256Hash !== 'string' || !/^[0-9a-f]{64}$/.test(sha256Hash))
    throw badRequest('extensions.persistedQuery.sha256Hash must be a SHA-256 in lower-case hex');
  return sha256Hash;
}

/** Whether a client asks for the plan of its operation, as the explorer does: `extensions: {plan: true}`. */
function asksPlan(extensions: unknown): boolean {
  const { plan } = objectOf('extensions', extensions);
  if (plan == null) return false;
  if (typeof plan !== 'boolean') throw badRequest('extensions.plan must be true or false');
  return plan;
}

/** Reads what a request asks for. @throws PalisadeError BAD_REQUEST, VALIDATION_ERROR */
function readFields(fields: Readonly<Record<string, unknown>>): GraphqlRequest {
  const query = textOf('query', fields.query);
  const hash = hashOf(fields.extensions);
  if (query === null && hash === null) throw badRequest('The request must have a query');
  return {
    query,
    hash,
    explain: asksPlan(fields.extensions),
    operationName: textOf('operationName', fields.operationName) ?? undefined,
    variables: objectOf('variables', fields.variables),
  };
}

function readBody(body: unknown): GraphqlRequest {
  if (Array.isArray(body)) throw badRequest('Send one operation a request: batches are not accepted');
  if (!isObject(body)) throw badRequest('The body must be a JSON object with a query');
  return readFields(body);
}

function readSearch(url: string, readJson: ReadJson): GraphqlRequest {
  const start = url.indexOf('?');
  const search = new URLSearchParams(start === -1 ? '' : url.slice(start + 1));
  const take = (name: string): string | null => {
    const values = search.getAll(name);
    if (values.length > 1) throw badRequest(`The query parameter ${name} is given more than once`);
    return values[0] ?? null;
  };
  const takeJson = (name: string): unknown => {
    try {
      return readJson(take(name) ?? '');
    } catch (error) {
      if (error instanceof PalisadeError && error.code === 'BAD_REQUEST') throw badRequest(`${name} must be a JSON object`);
      throw error;
    }
  };
  return readFields({
    query: take('query'),
    operationName: take('operationName'),
    variables: takeJson('variables'),
    extensions: takeJson('extensions'),
  });
}

/**
 * Reads the operation of a request: the JSON body of a POST, the query parameters of a GET.
 * @throws PalisadeError BAD_REQUEST, VALIDATION_ERROR
 */
export const readGraphqlRequest = ({ method, body, url }: Pick<FastifyRequest, 'method' | 'body' | 'url'>, readJson: ReadJson) =>
  method === 'GET' ? readSearch(url, readJson) : readBody(body);
