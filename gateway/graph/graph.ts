import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { Engine } from '../../kit/engine/engine.js';
import type { EngineCaller } from '../../kit/engine/caller.js';
import { buildEngineSchema } from '../../kit/engine/schema.js';
import { PalisadeError } from '../../kit/base/errors.js';
import type { Logger } from '../../kit/base/logger.js';
import { internalError } from '../../http/engine-errors.js';
import { ApolloExecutor } from './apollo.js';
import { executeJoined } from './joined.js';
import { ObservedCaller } from './plan-report.js';
import { PlannedOperation, type Variables } from './planned-operation.js';
import { createPrepare } from './prepare.js';
import { viewSegmentsOf } from './requirements.js';
import { executeSingle } from './single.js';
import { loadGraph } from './supergraph.js';
import type { Graph, GraphCall, PreparedOperation } from './types.js';

export interface GraphOptions {
  readonly engines: readonly Engine[];
  readonly caller: EngineCaller;
  readonly logger: Logger;
  /** The schemas of engines that run in this process, so that they are not built twice. */
  readonly localSchemas?: Pick<ReadonlyMap<string, GraphQLSchema>, 'get'>;
}

function schemasOf(engines: readonly Engine[], known: GraphOptions['localSchemas']): (engine: string) => GraphQLSchema {
  const made = new Map<string, GraphQLSchema>();
  return (name) => {
    const schema = known?.get(name) ?? made.get(name) ?? buildEngineSchema(engines.find((engine) => engine.name === name)!);
    made.set(name, schema);
    return schema;
  };
}

const planned = (operation: PreparedOperation): PlannedOperation => {
  if (operation instanceof PlannedOperation) return operation;
  throw new TypeError('the operation was not prepared by this graph');
};

/**
 * Composes the engines into one graph and gives the three ways to run an operation on it.
 * @throws an Error that names engine and field when the graph does not hold (see composeEngines)
 */
export async function createGraph({ engines, caller, logger, localSchemas }: GraphOptions): Promise<Graph> {
  const composed = loadGraph(engines);
  const { apiSchema, sdl } = composed;
  const prepare = createPrepare({ composed, segments: viewSegmentsOf(engines), engineSchema: schemasOf(engines, localSchemas) });
  const apollo = new ApolloExecutor(sdl, apiSchema, caller, logger);

  const run = (through: EngineCaller, operation: PlannedOperation, variables: Variables, call: GraphCall): Promise<ExecutionResult> => {
    if (operation.way === 'single') return executeSingle(through, operation, variables, call);
    if (operation.way === 'joined') return executeJoined(through, apiSchema, operation, variables, call);
    // Apollo's executor calls engines by itself: its plan is told without times
    return apollo.execute(operation, variables, call);
  };
  const explain = async (operation: PlannedOperation, variables: Variables, call: GraphCall): Promise<ExecutionResult> => {
    const observed = new ObservedCaller(caller);
    const result = await run(observed, operation, variables, call);
    return { ...result, extensions: { ...result.extensions, plan: observed.report(operation) } };
  };
  return {
    supergraphSdl: sdl,
    apiSchema,
    prepare,
    authorize: (operation, call) => planned(operation).facts.guard.assert(call.auth, call.variables ?? {}),
    async execute(operation, call) {
      try {
        const known = planned(operation);
        const variables = known.variables(call.variables);
        return await (call.explain ? explain(known, variables, call) : run(caller, known, variables, call));
      } catch (error) {
        if (error instanceof PalisadeError) return { errors: [error] };
        logger.error({ err: error, request_id: call.auth.request_id }, 'an operation broke');
        return { errors: [internalError(undefined, call.auth.request_id)] };
      }
    },
  };
}
