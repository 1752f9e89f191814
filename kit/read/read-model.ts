import { callEngine } from '../engine/call-engine.js';
import { defineOperation, type EngineOperation, type OperationCaller } from '../engine/operation.js';

/** Data of one engine that others may read for fields of their own, whatever permission those ask for (decision 39). */
export interface ReadModel {
  /** What `@permission(requires: "model:<name>")` of its fields names. */
  readonly name: string;
  /** The engine that answers. */
  readonly engine: string;
}

/** One operation of a read model. */
export interface ReadOperation<Variables extends Record<string, unknown>, Result> extends EngineOperation<Variables, Result> {
  readonly model: ReadModel;
}

/** Declares an operation of a model. It is checked against the answering engine's schema when a process starts. */
export const defineReadOperation = <Variables extends Record<string, unknown>, Result>(
  model: ReadModel,
  query: string,
): ReadOperation<Variables, Result> => ({ ...defineOperation<Variables, Result>(model.engine, query), model });

/** Who reads a model; an EngineContext is one. */
export interface ReadCaller extends OperationCaller {
  /** Coordinate of the root field that runs; undefined in work that nobody called for. */
  readonly field?: string | undefined;
}

/**
 * Runs an operation of a model for the field that runs in `context`, in the caller's tenant. The claim of that field goes with the call, and the
 * answering engine checks that the caller holds what the field asks for.
 * @param timeoutMs the time budget; that of any engine call when absent
 * @throws PalisadeError as the answering engine does; UPSTREAM_UNAVAILABLE when it does not answer
 */
export function readModel<Variables extends Record<string, unknown>, Result>(
  { auth, field, signal, services }: ReadCaller,
  { model, query }: ReadOperation<Variables, Result>,
  variables: Variables,
  timeoutMs?: number,
): Promise<Result> {
  const reading = { model: model.name, field: field ?? 'job' };
  return callEngine<Result>(services.caller, { engine: model.engine, query, variables, auth: { ...auth, reading }, signal, timeoutMs });
}
