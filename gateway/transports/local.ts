import { setImmediate as nextTurn } from 'node:timers/promises';
import { parse, validate, type ExecutionResult, type GraphQLSchema } from 'graphql';
import type { Engine } from '../../kit/engine/engine.js';
import type { EngineOperation } from '../../kit/engine/operation.js';
import type { EngineCall, EngineCaller } from '../../kit/engine/caller.js';
import { createEngineContext } from '../../kit/engine/create-context.js';
import type { EngineServices } from '../../kit/engine/context.js';
import { buildEngineSchema } from '../../kit/engine/schema.js';
import type { Logger } from '../../kit/base/logger.js';
import { engineUnavailable, failedResult, internalError } from '../../http/engine-errors.js';
import { readRequirements, viewSegmentsOf } from '../graph/requirements.js';
import { EngineRuntime } from './engine-runtime.js';
import { withinBudget } from './time-budget.js';

export interface LocalCallerOptions {
  /** The engines that run in this process. */
  readonly engines: readonly Engine[];
  /** All listed engines, whose view segments `{engine}:read` may name; `engines` when absent. */
  readonly listed?: readonly Engine[];
  /** Asked at the first call: the services hold this very caller. */
  readonly services: () => EngineServices;
  readonly logger: Logger;
  /** Milliseconds for a call that brings no budget of its own: ENGINE_TIMEOUT_MS. */
  readonly timeoutMs: number;
}

/** A caller of engines in this process, and what else of it others use. */
export interface LocalCaller extends EngineCaller {
  /** The executable schemas, for `createGraph({ localSchemas })`. */
  readonly schemas: Pick<ReadonlyMap<string, GraphQLSchema>, 'get'>;
  readonly runtimes: ReadonlyMap<string, EngineRuntime>;
  /** Builds the schemas that nobody has asked for yet, one in a turn of the event loop. */
  prepare(): Promise<void>;
}

/** Calls engines on their compiled schemas in this process, each call within its time budget. `assertOperations` tells whether the schemas hold. */
export function createLocalCaller({ engines, listed = engines, services, logger, timeoutMs }: LocalCallerOptions): LocalCaller {
  const segments = viewSegmentsOf(listed);
  const requirements = new Map(listed.flatMap((engine) => [...readRequirements(engine.document)]));
  const context = (engine: string, auth: EngineCall['auth'], signal: AbortSignal, field: string) =>
    createEngineContext(services(), engine, auth, signal, field);
  const runtimes = new Map(engines.map((engine) => [engine.name, new EngineRuntime(engine, { segments, requirements, logger, context })]));

  const call = async (request: EngineCall): Promise<ExecutionResult> => {
    const runtime = runtimes.get(request.engine);
    if (!runtime) return failedResult(engineUnavailable(request.engine, 'does not run here'));
    const budget = { engine: request.engine, timeoutMs: request.timeoutMs ?? timeoutMs, signal: request.signal };
    const { query, variables, auth } = request;
    return withinBudget(
      budget,
      (signal) => runtime.run({ query, variables, auth, signal }),
      () => failedResult(internalError(undefined, auth.request_id)),
    );
  };
  return {
    engines: engines.map(({ name }) => name),
    runtimes,
    schemas: { get: (name) => runtimes.get(name)?.schema },
    async prepare() {
      for (const runtime of runtimes.values()) {
        void runtime.schema;
        await nextTurn();
      }
    },
    // The answer's type is the caller's knowledge of its own query.
    call: call as EngineCaller['call'],
  };
}

/**
 * Holds what engines ask of one another against their schemas. Neither changes after the build, so the tests ask this and no start does.
 * @throws an Error that names the engine whose schema does not hold, or the one that does not have what an operation asks for
 */
export function assertOperations(engines: readonly Engine[], operations: readonly EngineOperation<never, unknown>[]): void {
  const schemas = new Map(engines.map((engine) => [engine.name, buildEngineSchema(engine)]));
  for (const { engine, query } of operations) {
    const schema = schemas.get(engine);
    const [error] = schema ? validate(schema, parse(query)) : [];
    if (error) throw new Error(`an operation asks what engine ${engine} does not have: ${error.message}`);
  }
}
