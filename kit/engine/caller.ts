import type { ExecutionResult } from 'graphql';
import type { AuthContext } from '../base/auth-context.js';

/** One operation for one engine's own schema. */
export interface EngineCall {
  readonly engine: string;
  /** The operation as text; the same text is parsed and compiled once. */
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly auth: AuthContext;
  readonly signal?: AbortSignal;
  /** Milliseconds after which the call is given up; the configured ENGINE_TIMEOUT_MS when absent. */
  readonly timeoutMs?: number;
}

/**
 * Calls an engine, wherever it runs: in this process (`local`) or behind a URL (`http`). A transport failure, a time-out
 * and an abort all come back as an error with code UPSTREAM_UNAVAILABLE in the result, never as an exception.
 */
export interface EngineCaller {
  call<Data = Record<string, unknown>>(call: EngineCall): Promise<ExecutionResult<Data>>;
  /** The engines that can be called, in the order of the list. */
  readonly engines: readonly string[];
}
