import type { AuthContext } from '../base/auth-context.js';
import { callEngine } from './call-engine.js';
import type { EngineServices } from './context.js';

/** An operation of one engine that others run: its text, whose one field is named `result`. */
export interface EngineOperation<Variables extends Record<string, unknown>, Result> {
  /** The engine that answers. */
  readonly engine: string;
  readonly query: string;
  /** Never read; carries the types. */
  readonly types?: (variables: Variables) => Result;
}

/** As whom, and for how long, an operation runs; an EngineContext is one. */
export interface OperationCaller {
  readonly auth: AuthContext;
  readonly signal?: AbortSignal;
  readonly services: Pick<EngineServices, 'caller'>;
}

const operations: EngineOperation<never, unknown>[] = [];

/** Declares an operation. It is checked against the schema of its engine when a process starts. */
export function defineOperation<Variables extends Record<string, unknown>, Result>(
  engine: string,
  query: string,
): EngineOperation<Variables, Result> {
  const operation: EngineOperation<Variables, Result> = { engine, query };
  operations.push(operation as EngineOperation<never, unknown>);
  return operation;
}

/** All operations that were declared, for the check at start. */
export const definedOperations = (): readonly EngineOperation<never, unknown>[] => operations;

/**
 * Runs an operation of another engine with the caller's own permissions: a claim by which the caller reads a model goes no further.
 * @param timeoutMs the time budget; that of any engine call when absent
 * @throws PalisadeError as the engine answers; UPSTREAM_UNAVAILABLE when it does not
 */
export function runOperation<Variables extends Record<string, unknown>, Result>(
  { auth: { reading: _, ...auth }, signal, services }: OperationCaller,
  { engine, query }: EngineOperation<Variables, Result>,
  variables: Variables,
  timeoutMs?: number,
): Promise<Result> {
  return callEngine<Result>(services.caller, { engine, query, variables, auth, signal, timeoutMs });
}
