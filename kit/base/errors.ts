import { GraphQLError } from 'graphql';
import type { z } from 'zod';
import type { ErrorCode } from '../../schema/error-table.js';

/** One broken rule of a well-formed body (decision 11). */
export interface Violation {
  path: string;
  message: string;
}

/**
 * The one error that engines and the gateway throw on purpose: a code of the error table, a message for the caller, and
 * a detail that may be shown. It is a GraphQL error whose `extensions` survive the way through the graph; the HTTP status is decided at the REST edge.
 */
export class PalisadeError extends GraphQLError {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, detail: unknown = null) {
    super(message, { extensions: { code, detail } });
    this.code = code;
  }
}

export const badRequest = (message: string, detail: unknown = null) => new PalisadeError('BAD_REQUEST', message, detail);
export const unauthenticated = (message = 'Sign in first') => new PalisadeError('UNAUTHENTICATED', message);
export const forbidden = (message: string) => new PalisadeError('FORBIDDEN', message);
export const missingPermission = (permission: string) => forbidden(`Missing permission: ${permission}`);

/** The same body for an absent thing and for another tenant's: nothing of the id comes back (specification, Authentication rule 3). */
export const notFound = (what: string) => new PalisadeError('NOT_FOUND', `${what} not found`);
export const conflict = (message: string, detail: unknown = null) => new PalisadeError('CONFLICT', message, detail);
export const gone = (message: string) => new PalisadeError('GONE', message);
export const preconditionFailed = (message: string) => new PalisadeError('PRECONDITION_FAILED', message);
/** What a schema finds wrong with a body, by the path in it. */
export const violationsOf = ({ issues }: z.ZodError): Violation[] => issues.map(({ path, message }) => ({ path: path.join('.'), message }));

export const invalid = (violations: Violation[], message = 'The request breaks a rule') =>
  new PalisadeError('VALIDATION_ERROR', message, violations);
