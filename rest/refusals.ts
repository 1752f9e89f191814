import type { ErrorCode } from '../schema/error-table.js';

/** What any call with a JSON body may be refused with. */
export const BODY_REFUSALS: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'FORBIDDEN',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'VALIDATION_ERROR',
  'RATE_LIMITED',
  'INTERNAL',
  'UPSTREAM_UNAVAILABLE',
];
/** Those of a call that proves who somebody is. */
export const SIGN_IN_REFUSALS: readonly ErrorCode[] = [...BODY_REFUSALS, 'UNAUTHENTICATED'];
