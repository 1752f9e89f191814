import type { ExecutionResult } from 'graphql';
import { isErrorCode } from '../../schema/error-table.js';
import type { EngineCall, EngineCaller } from './caller.js';
import { PalisadeError } from '../base/errors.js';

/** The error of a result as the error that the engine threw; its code survives the transport. */
function thrown(result: ExecutionResult): PalisadeError | null {
  const error = result.errors?.[0];
  if (!error) return null;
  const { code, detail } = error.extensions ?? {};
  return isErrorCode(code) ? new PalisadeError(code, error.message, detail) : new PalisadeError('INTERNAL', 'Internal error');
}

/**
 * Runs an operation whose one field is named `result` at another engine.
 * @returns the value of that field
 * @throws PalisadeError as the engine answers, UPSTREAM_UNAVAILABLE when it does not
 */
export async function callEngine<R>(caller: EngineCaller, call: EngineCall): Promise<R> {
  const answer = await caller.call<{ result: R }>(call);
  const error = thrown(answer);
  if (error) throw error;
  return answer.data!.result;
}
