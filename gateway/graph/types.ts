import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import type { AuthContext } from '../../kit/base/auth-context.js';

/** An operation that was parsed, validated, planned and walked for permissions once. */
export interface PreparedOperation {
  readonly query: string;
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly kind: 'query' | 'mutation';
  /** How it will run: on one engine's compiled schema, on the plan executor, or on Apollo's. */
  readonly way: 'single' | 'joined' | 'apollo';
  /** Number of fields selected, for the cost of a call. */
  readonly fields: number;
}

export interface GraphCall {
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly auth: AuthContext;
  readonly signal?: AbortSignal;
  /** Tells in `extensions.plan` of the result how the operation ran (PlanReport). */
  readonly explain?: boolean;
}

/** The federated graph of all listed engines. */
export interface Graph {
  readonly supergraphSdl: string;
  /** What clients may ask: the supergraph without federation machinery. */
  readonly apiSchema: GraphQLSchema;
  /** Parses, validates and plans `query`; the same text is done once. Throws a PalisadeError BAD_REQUEST when it does not validate. */
  prepare(query: string, operationName?: string): PreparedOperation;
  /** Throws PalisadeError FORBIDDEN `Missing permission: <feature>:<action>` when `auth` may not run the operation, NOT_FOUND for an unknown engine argument. */
  authorize(operation: PreparedOperation, call: GraphCall): void;
  /** Runs an operation that was authorized. Coerces variables. Never throws: errors are in the result, with `extensions.code`. */
  execute(operation: PreparedOperation, call: GraphCall): Promise<ExecutionResult>;
}
