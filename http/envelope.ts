import { isStoreAway } from './engine-errors.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ERROR_TABLE, isErrorCode, type ErrorCode } from '../schema/error-table.js';
import { badRequest, PalisadeError } from '../kit/base/errors.js';
import { drain } from './drain.js';
import { SECURITY_HEADERS } from './security-headers.js';

/** The body of every error (specification, "Errors"). */
export interface ErrorEnvelope {
  /** First path segment below /api/v1, or `gateway`. */
  page: string;
  error_code: ErrorCode;
  message: string;
  detail: unknown;
  /** Engines that failed to answer. */
  degraded_engines: string[];
}

/** An error as it leaves: HTTP status, headers that belong to the status, body. */
export interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  body: ErrorEnvelope;
}

/** What of a request an envelope tells: its target and its id. */
export type FailedRequest = Pick<FastifyRequest, 'id' | 'url'>;

/** Where business endpoints live (specification, "Versioning"). */
export const API_PREFIX = '/api/v1/';

const PAGE = /^\/api\/v1\/([A-Za-z0-9._~-]{1,64})(?=[/?#]|$)/;
const STATUS_CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};
/** What the HTTP layer finds wrong with a request, by its own code; the words are ours, so that nothing internal is shown. */
const TRANSPORT_MESSAGES: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'The path is not valid percent-encoding',
  FST_ERR_MAX_PARAM_LENGTH: 'A path segment is too long',
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is larger than the limit',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The content type is not accepted here; send application/json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body is not as long as Content-Length says',
};

/** Area that an error envelope names: the first segment below /api/v1, or `gateway`. */
export const pageOf = (url: string): string => PAGE.exec(url)?.[1] ?? 'gateway';

interface ErrorShape {
  message?: unknown;
  code?: unknown;
  statusCode?: unknown;
  extensions?: { code?: unknown; detail?: unknown; engine?: unknown; degraded_engines?: unknown };
}

const shapeOf = (error: unknown): ErrorShape => (typeof error === 'object' && error !== null ? error : {});

/** The code of the error table that an error carries, or null: such an error is not ours to show. */
export function codeOf(error: unknown): ErrorCode | null {
  const code = shapeOf(error).extensions?.code;
  return isErrorCode(code) ? code : null;
}

/** The engines that errors of a graph result name as away. */
export function degradedEngines(errors: readonly unknown[]): string[] {
  const named = errors
    .filter((error) => codeOf(error) === 'UPSTREAM_UNAVAILABLE')
    .flatMap((error) => {
      const { engine, degraded_engines } = shapeOf(error).extensions ?? {};
      return [engine, ...(Array.isArray(degraded_engines) ? (degraded_engines as unknown[]) : [])];
    });
  return [...new Set(named.filter((name) => typeof name === 'string'))];
}

const storeError = (error: unknown): PalisadeError | null =>
  isStoreAway(error) ? new PalisadeError('UPSTREAM_UNAVAILABLE', 'The store is not available') : null;

/** A fault of the request that the HTTP layer found, as one of our errors; null for anything else. */
function transportError(error: unknown): PalisadeError | null {
  const { code, statusCode, message } = shapeOf(error);
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode > 499) return null;
  const known = typeof code === 'string' ? TRANSPORT_MESSAGES[code] : undefined;
  const text = known ?? (typeof code === 'string' && code.startsWith('FST_') && typeof message === 'string' ? message : 'Bad request');
  return new PalisadeError(STATUS_CODES[statusCode] ?? 'BAD_REQUEST', text);
}

/**
 * An error as the caller sees it: one with a code as the error table says, and everything else as a 500 that carries the
 * request id and nothing more. The HTTP status is decided here and nowhere else.
 * @param error whatever was thrown, or an error of a graph result
 * @param degraded engines to name beside those that the error names itself
 */
export function toEnvelope(error: unknown, request: FailedRequest, degraded: readonly string[] = []): ErrorAnswer {
  const shown = codeOf(error) === null ? (transportError(error) ?? storeError(error)) : shapeOf(error);
  const code = shown === null ? 'INTERNAL' : (codeOf(shown) ?? 'INTERNAL');
  const { status } = ERROR_TABLE[code];
  const headers: Record<string, string> = {};
  const page = pageOf(request.url);
  if (code === 'INTERNAL') {
    const body = { page, error_code: code, message: 'Internal server error', detail: { request_id: request.id }, degraded_engines: [] };
    return { status, headers, body };
  }
  const detail = shapeOf(shown).extensions?.detail ?? null;
  const facts = (typeof detail === 'object' && detail !== null ? detail : {}) as { retry_after?: unknown; allow?: unknown };
  if (code === 'RATE_LIMITED' && typeof facts.retry_after === 'number') headers['retry-after'] = String(Math.ceil(facts.retry_after));
  if (code === 'METHOD_NOT_ALLOWED' && Array.isArray(facts.allow)) headers.allow = facts.allow.join(', ');
  const degraded_engines = [...new Set([...degraded, ...degradedEngines([shown])])];
  return { status, headers, body: { page, error_code: code, message: String(shapeOf(shown).message), detail, degraded_engines } };
}

/** Sends `error` as its envelope and logs what nobody expected. */
export function sendError(reply: FastifyReply, error: unknown, degraded: readonly string[] = []): FastifyReply {
  const { request } = reply;
  // The rest of the body is thrown away rather than the connection closed: a client that is still sending gets to read the answer.
  reply.removeHeader('connection');
  drain(request.raw);
  const answer = toEnvelope(error, request, degraded);
  if (answer.status === 500)
    // without the query, which may be the token of a link
    request.log.error({ err: error, request_id: request.id, method: request.method, url: request.url.split('?', 1)[0] }, 'request failed');
  return reply.code(answer.status).headers(answer.headers).type('application/json; charset=utf-8').send(JSON.stringify(answer.body));
}

/** 405 with the methods that the path has. */
export const methodNotAllowed = (allow: readonly string[]): PalisadeError =>
  new PalisadeError('METHOD_NOT_ALLOWED', `Use ${allow.join(' or ')} here`, { allow });

/** 404 of a path that no endpoint has. */
export const noSuchEndpoint = (): PalisadeError => new PalisadeError('NOT_FOUND', 'No such endpoint');

/** Makes every error and every unknown path of `app` answer with the envelope. */
export function registerErrorHandlers(app: FastifyInstance): void {
  app.setErrorHandler((error, _request, reply) => sendError(reply, error));
  app.setNotFoundHandler((_request, reply) => sendError(reply, noSuchEndpoint()));
}

/**
 * The answer, as raw HTTP/1.1 text, to bytes that are not a request: no router sees them, so the headers of every response are written here.
 * @param code Node's error code of the parser or the timeout
 * @param headers those of limits, by name
 */
export function rawErrorResponse(code: string | undefined, requestId: string, headers: Readonly<Record<string, number>>): string {
  const message = code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'The request did not arrive in time' : 'This is not a valid HTTP request';
  const { body, status } = toEnvelope(badRequest(message), { url: '', id: requestId });
  const text = JSON.stringify(body);
  const lines = {
    ...SECURITY_HEADERS,
    ...headers,
    'x-request-id': requestId,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Bad Request\r\n${head.join('')}\r\n${text}`;
}
