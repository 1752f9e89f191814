import { GraphQLError, type ExecutionResult } from 'graphql';
import { mongo } from 'mongoose';
import { isDiskFull } from '../kit/store/disk-full.js';
import { isErrorCode } from '../schema/error-table.js';

type Path = readonly (string | number)[];

/** What of an error's extensions may travel: codes and details, never HTTP statuses, stack traces or addresses. */
const TRAVELS = ['code', 'detail', 'engine', 'request_id'] as const;

/** An error as clients may see it, at `path`. `error` is ours already, or came as JSON from an engine's process. */
export function publicError(
  error: { message: string; extensions?: Readonly<Record<string, unknown>> },
  path: Path | undefined,
  requestId?: string,
): GraphQLError {
  const { extensions } = error;
  if (!isErrorCode(extensions?.code)) return internalError(path, requestId);
  const kept = Object.fromEntries(TRAVELS.flatMap((key) => (extensions[key] === undefined ? [] : [[key, extensions[key]]])));
  return new GraphQLError(error.message, { path, extensions: kept });
}

/** The message of an unexpected error: the text of the cause stays in the log. */
export const internalError = (path: Path | undefined, requestId?: string): GraphQLError =>
  new GraphQLError('Internal error', {
    path,
    extensions: { code: 'INTERNAL', ...(requestId === undefined ? {} : { request_id: requestId }) },
  });

/** What the database driver says when no server can be reached. */
const STORE_AWAY =
  /^(Mongo(ose)?)?(Network|NetworkTimeout|ServerSelection|PoolCleared|PoolClearedOnNetwork|PoolClosed|NotConnected|TopologyClosed)Error$/;

/** What is behind an error: the driver wraps what ends a bulk write. */
const rootOf = (error: unknown): unknown => {
  const wrapped: unknown = (error as { errorResponse?: unknown } | null | undefined)?.errorResponse;
  return wrapped instanceof Error ? wrapped : error;
};

/** MongoDB's code HostUnreachable, which the embedded store answers those with who were reading when it opened its database again. */
const HOST_UNREACHABLE = 6;
const isInterrupted = (error: unknown): boolean => error instanceof mongo.MongoServerError && error.code === HOST_UNREACHABLE;

/** Whether `error` says that the store cannot be reached, or cannot write: a 503, not a fault of ours. */
export function isStoreAway(error: unknown): boolean {
  const root = rootOf(error);
  return isDiskFull(error) || isInterrupted(error) || (root instanceof Error && STORE_AWAY.test(root.name));
}

/** The store of an engine cannot be reached. */
export const storeUnavailable = (engine: string, path?: Path): GraphQLError =>
  new GraphQLError('The store is not available', { path, extensions: { code: 'UPSTREAM_UNAVAILABLE', engine } });

/** An engine did not answer: `why` completes the sentence "Engine x ...". */
export const engineUnavailable = (engine: string, why: string): GraphQLError =>
  new GraphQLError(`Engine ${engine} ${why}`, { extensions: { code: 'UPSTREAM_UNAVAILABLE', engine } });

/** The result of a call that failed as a whole. */
export const failedResult = <Data>(error: GraphQLError): ExecutionResult<Data> => ({ errors: [error] });
