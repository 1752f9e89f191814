import type { ExecutionResult } from 'graphql';
import type { EngineCaller } from '../../kit/engine/caller.js';
import { publicError } from '../../http/engine-errors.js';
import { failureAt } from './fetch-errors.js';
import type { PlannedOperation, Variables } from './planned-operation.js';
import type { GraphCall } from './types.js';

/** Runs an operation of one fetch on its engine, as the client wrote it: no merging, no second pass over the answer. */
export async function executeSingle(
  caller: EngineCaller,
  operation: PlannedOperation,
  variables: Variables,
  call: GraphCall,
): Promise<ExecutionResult> {
  const { auth, signal } = call;
  const { data, errors } = await caller.call({ engine: operation.facts.engine!, query: operation.ownText, variables, auth, signal });
  if (!errors?.length) return { data };
  if (data === undefined || (data === null && errors.every(({ path }) => !path))) {
    const failures = operation.shape.rootKeys(variables).flatMap((key) => failureAt(errors, [key], auth.request_id));
    return { data: await operation.shape.complete({}, variables), errors: failures };
  }
  return { data, errors: errors.map((error) => publicError(error, error.path, auth.request_id)) };
}
