import type { ApolloGateway, GraphQLDataSource } from '@apollo/gateway';
import { GraphQLError, type ExecutionResult, type GraphQLSchema } from 'graphql';
import { createHash } from 'node:crypto';
import type { EngineCaller } from '../../kit/engine/caller.js';
import type { Logger } from '../../kit/base/logger.js';
import { publicError } from '../../http/engine-errors.js';
import { placeOf, rootKeysOf } from './fetch-errors.js';
import type { PlannedOperation, Variables } from './planned-operation.js';
import type { GraphCall } from './types.js';

type Executor = Awaited<ReturnType<ApolloGateway['load']>>['executor'];
type RequestContext = Parameters<NonNullable<Executor>>[0];

/** Apollo's data source over our transports: the AuthContext of the call rides in its context. */
const dataSource = (caller: EngineCaller, engine: string): GraphQLDataSource => ({
  async process(options) {
    const { auth, signal } = options.context as GraphCall;
    const { query = '', variables } = options.request;
    const { data, errors } = await caller.call({ engine, query, variables, auth, signal });
    const nested = 'pathInIncomingRequest' in options && Boolean(options.pathInIncomingRequest?.length);
    return { data, errors: errors?.flatMap((error) => placed(error, query, nested)) };
  },
});

/** Gives an error of a fetch that failed as a whole a path, without which Apollo's executor loses the place of the fetch. */
function placed(error: GraphQLError, query: string, nested: boolean): GraphQLError[] {
  if (error.path && !(error.path.length === 1 && error.path[0] === '_entities')) return [error];
  const paths = nested ? [[]] : rootKeysOf(query).map((key) => [key]);
  return paths.map((path) => new GraphQLError(error.message, { path, extensions: error.extensions }));
}

/** Runs operations on Apollo's own executor: introspection, conditions around whole fetches, rewrites. */
export class ApolloExecutor {
  #executor: Promise<NonNullable<Executor>> | null = null;

  constructor(
    readonly sdl: string,
    readonly schema: GraphQLSchema,
    readonly caller: EngineCaller,
    readonly logger: Logger,
  ) {}

  /** Few operations come here, so a start does not wait for Apollo's gateway. */
  async #load(): Promise<NonNullable<Executor>> {
    const { ApolloGateway } = await import('@apollo/gateway');
    const logger = this.logger.child({ part: 'apollo' });
    const gateway = new ApolloGateway({ supergraphSdl: this.sdl, logger, buildService: ({ name }) => dataSource(this.caller, name) });
    return (await gateway.load()).executor!;
  }

  async execute(operation: PlannedOperation, variables: Variables, call: GraphCall): Promise<ExecutionResult> {
    const executor = await (this.#executor ??= this.#load());
    const { document, definition, ownText } = operation.facts;
    const context = {
      request: { query: ownText, operationName: definition.name?.value, variables },
      queryHash: createHash('sha256').update(ownText).digest('hex'),
      operationName: definition.name?.value ?? null,
      operation: definition,
      document,
      source: ownText,
      schema: this.schema,
      context: call,
      logger: this.logger,
      metrics: {},
    };
    // The executor reads no more of the request context than this.
    const result = await executor(context as unknown as RequestContext);
    // Apollo leaves the `@` of lists in the path of a fetch that failed as a whole.
    const errors = result.errors?.map((error) => publicError(error, error.path && placeOf(error.path), call.auth.request_id));
    const data = (result.data ?? null) as ExecutionResult['data'];
    return errors?.length ? { data, errors } : { data };
  }
}
