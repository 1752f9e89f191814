/** Every error that leaves the product: its code, HTTP status and meaning (decision 10). Nothing else is ever sent. */
export const ERROR_TABLE = {
  BAD_REQUEST: { status: 400, meaning: 'The request line, the query or the JSON syntax is wrong.' },
  UNAUTHENTICATED: { status: 401, meaning: 'The session token is missing, expired or not valid.' },
  FORBIDDEN: { status: 403, meaning: 'The role lacks a permission, or the request comes from a foreign origin.' },
  NOT_FOUND: { status: 404, meaning: 'There is no such thing in this tenant.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The path exists, but not with this method.' },
  CONFLICT: { status: 409, meaning: 'The request contradicts the present state of the resource.' },
  GONE: { status: 410, meaning: 'The resource existed and can no longer be used.' },
  PRECONDITION_FAILED: { status: 412, meaning: 'If-Match names another version than the stored one.' },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The body is larger than the limit.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'The content type is not accepted here.' },
  VALIDATION_ERROR: { status: 422, meaning: 'A well-formed body breaks the schema or a state rule; detail lists path and message.' },
  RATE_LIMITED: { status: 429, meaning: 'A rate limit is exceeded; Retry-After tells when to come back.' },
  INTERNAL: { status: 500, meaning: 'Something broke on our side; detail carries the request id.' },
  UPSTREAM_UNAVAILABLE: { status: 503, meaning: 'The owning engine or the store is away; degraded_engines names it.' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof ERROR_TABLE;

export const isErrorCode = (text: unknown): text is ErrorCode => typeof text === 'string' && Object.hasOwn(ERROR_TABLE, text);
