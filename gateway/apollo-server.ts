import { ApolloServer, type ApolloServerOptionsWithGateway, type ApolloServerPlugin, type BaseContext } from '@apollo/server';
import type { GraphQLFormattedError, GraphQLSchema } from 'graphql';
import type { Logger } from '../kit/base/logger.js';
import { ERROR_TABLE, isErrorCode } from '../schema/error-table.js';
import { internalError } from '../http/engine-errors.js';

type GatewayInterface = ApolloServerOptionsWithGateway<BaseContext>['gateway'];
type GatewayExecutor = NonNullable<Awaited<ReturnType<GatewayInterface['load']>>['executor']>;

/** What Apollo calls the faults of a request; anything else that carries no code of ours is a fault of the server. */
const REQUEST_FAULTS = new Set<unknown>([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'OPERATION_RESOLUTION_FAILURE',
]);

export interface ServerOptions {
  readonly schema: GraphQLSchema;
  readonly sdl: string;
  readonly logger: Logger;
  readonly introspection: boolean;
  readonly executor: GatewayExecutor;
}

/** A result without data never ran: its HTTP status is that of its error. A result with data is a 200, whatever else it says. */
const statusOfErrors: ApolloServerPlugin<BaseContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response }) {
        const { body, http } = response;
        if (body.kind !== 'single') return;
        const { errors, ...rest } = body.singleResult;
        if (!errors?.length) return;
        const code = errors[0]!.extensions?.code;
        http.status = 'data' in rest && rest.data !== undefined ? 200 : isErrorCode(code) ? ERROR_TABLE[code].status : 400;
      },
    };
  },
};

function formatError(formatted: GraphQLFormattedError): GraphQLFormattedError {
  const code = formatted.extensions?.code;
  if (isErrorCode(code)) return formatted;
  if (REQUEST_FAULTS.has(code)) return { message: formatted.message, extensions: { code: 'BAD_REQUEST' } };
  return internalError(undefined).toJSON();
}

/**
 * An Apollo server over an executor of ours: Apollo reads the request and writes the response, and runs no resolver. Codes of errors that
 * Apollo finds itself (a document that does not parse) become BAD_REQUEST.
 */
export function createApolloServer({ schema, sdl, logger, introspection, executor }: ServerOptions): ApolloServer<BaseContext> {
  const gateway: GatewayInterface = {
    onSchemaLoadOrUpdate(callback) {
      callback({ apiSchema: schema, coreSupergraphSdl: sdl });
      return () => undefined;
    },
    load: async () => ({ executor }),
    stop: async () => undefined,
  };
  return new ApolloServer<BaseContext>({
    gateway,
    introspection,
    logger: logger.child({ part: 'apollo' }),
    plugins: [statusOfErrors],
    includeStacktraceInErrorResponses: false,
    allowBatchedHttpRequests: false,
    csrfPrevention: true,
    stopOnTerminationSignals: false,
    persistedQueries: false,
    formatError,
  });
}
