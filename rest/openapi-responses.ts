import { ERROR_TABLE, type ErrorCode } from '../schema/error-table.js';
import { schemaReference, type JsonSchema } from './openapi-schemas.js';

/** Headers of the document's `components`. */
export const HEADER_COMPONENTS: Readonly<Record<string, JsonSchema>> = {
  'X-RateLimit-Limit': { description: 'Calls that the tighter window allows.', schema: { type: 'integer' } },
  'X-RateLimit-Remaining': { description: 'Calls left in that window.', schema: { type: 'integer' } },
  'X-RateLimit-Reset': { description: 'End of that window, Unix seconds.', schema: { type: 'integer' } },
  'X-Request-Id': { description: 'Id of the request; an error of status 500 carries it in its body too.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
  Allow: { description: 'The methods that the path has.', schema: { type: 'string' } },
  'Content-Disposition': { description: 'A name for the file.', schema: { type: 'string' } },
  'Repr-Digest': { description: 'SHA-256 of the file (RFC 9530).', schema: { type: 'string' } },
  Location: { description: 'Where to go on.', schema: { type: 'string' } },
  ETag: { description: 'Version of the thing, for If-Match; only where it has one.', schema: { type: 'string' } },
};

const EVERYWHERE = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'];

/** The headers of one response: those of every response, and `extra`. */
export const headerReferences = (...extra: string[]): JsonSchema =>
  Object.fromEntries([...EVERYWHERE, ...extra].map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** References to the error responses of `codes`, by status, with `default` for any other error. */
export function errorReferences(codes: readonly ErrorCode[]): JsonSchema {
  const known = codes.map((code) => [String(ERROR_TABLE[code].status), { $ref: `#/components/responses/${code}` }]);
  return { ...Object.fromEntries(known), default: { $ref: '#/components/responses/Error' } };
}

const EXTRA_HEADERS: Readonly<Partial<Record<ErrorCode, string>>> = { RATE_LIMITED: 'Retry-After', METHOD_NOT_ALLOWED: 'Allow' };

/** Headers that belong to an error besides those of every response. */
export const extraHeaders = (code: ErrorCode): string[] => [EXTRA_HEADERS[code] ?? []].flat();

/** One response component for each error of the table, and `Error` for any of them. */
export function errorResponses(): Record<string, JsonSchema> {
  const codes = Object.keys(ERROR_TABLE) as ErrorCode[];
  const responses = codes.map((code) => {
    const schema = { allOf: [schemaReference('Error'), { properties: { error_code: { const: code } } }] };
    return [
      code,
      {
        description: ERROR_TABLE[code].meaning,
        headers: headerReferences(...extraHeaders(code)),
        content: { 'application/json': { schema } },
      },
    ];
  });
  const other = {
    description: 'Any other error.',
    headers: headerReferences(),
    content: { 'application/json': { schema: schemaReference('Error') } },
  };
  return { ...Object.fromEntries(responses), Error: other };
}

/** The error envelope (specification, "Errors"). */
export const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'The body of every error.',
  properties: {
    page: { type: 'string', description: 'Area that produced the error: the first path segment below /api/v1, or gateway.' },
    error_code: { type: 'string', enum: Object.keys(ERROR_TABLE), description: 'What went wrong.' },
    message: { type: 'string', description: 'The same in words.' },
    detail: {
      description:
        'More about it, or null: a list of {path, message} for 422, {window, limit, retry_after} for 429, {reauthenticate} for a 401 that asks for a new proof of who the caller is, {request_id} for 500.',
    },
    degraded_engines: { type: 'array', items: { type: 'string' }, description: 'Engines that failed to answer.' },
  },
  required: ['page', 'error_code', 'message', 'detail', 'degraded_engines'],
  additionalProperties: false,
};
