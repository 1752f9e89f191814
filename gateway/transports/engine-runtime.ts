import type { ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql';
import type { AuthContext } from '../../kit/base/auth-context.js';
import type { EngineContext } from '../../kit/engine/context.js';
import type { Engine } from '../../kit/engine/engine.js';
import { buildEngineSchema, engineDocument } from '../../kit/engine/schema.js';
import { badRequest, PalisadeError, unauthenticated } from '../../kit/base/errors.js';
import type { Logger } from '../../kit/base/logger.js';
import { BoundedCache } from '../../kit/base/bounded-cache.js';
import { operationBytes } from '../operation-bytes.js';
import { failedResult, internalError, isStoreAway, publicError, storeUnavailable } from '../../http/engine-errors.js';
import { MAX_REPRESENTATIONS } from '../graph/joined.js';
import { assertReadsFor, readRequirements, type RequirementTable, type ViewSegments } from '../graph/requirements.js';
import { CompiledOperation } from './compiled-operation.js';

type Variables = Readonly<Record<string, unknown>>;

/** Bytes of compiled operations that one engine keeps. */
const KEPT_BYTES = 4 * 1_048_576;

/** What is asked of an engine in this process, by whichever transport. */
export interface RuntimeCall {
  readonly query: string;
  readonly variables?: Variables;
  readonly auth: AuthContext;
  readonly signal: AbortSignal;
}

export interface RuntimeOptions {
  readonly segments: ViewSegments;
  /** What the root fields of all listed engines ask for: a read model is read for one of them. */
  readonly requirements: RequirementTable;
  readonly logger: Logger;
  /** Makes what resolvers get. */
  readonly context: (engine: string, auth: AuthContext, signal: AbortSignal, field: string) => EngineContext;
}

/**
 * One engine, ready to run. It trusts no transport: every operation, `_service` and `_entities` included, needs an AuthContext and is
 * checked against `@permission` again; `_entities` is capped. Errors that nobody meant leave as `Internal error` and go to the log.
 */
export class EngineRuntime {
  readonly name: string;
  readonly #operations = new BoundedCache<CompiledOperation>(KEPT_BYTES, operationBytes);
  readonly #engine: Engine;
  #built: { schema: GraphQLSchema; table: RequirementTable } | undefined;

  constructor(
    engine: Engine,
    readonly options: RuntimeOptions,
  ) {
    this.name = engine.name;
    this.#engine = engine;
  }

  /** Built when somebody first asks the engine: a start asks few. @throws as `buildEngineSchema` */
  get schema(): GraphQLSchema {
    return this.#build().schema;
  }

  #build() {
    return (this.#built ??= { schema: buildEngineSchema(this.#engine), table: readRequirements(engineDocument(this.#engine)) });
  }

  #make(query: string): CompiledOperation {
    const { schema, table } = this.#build();
    return new CompiledOperation(schema, query, table, this.options.segments);
  }

  /** Never throws: what goes wrong is in the result. */
  async run(call: RuntimeCall): Promise<ExecutionResult> {
    const { auth, query, variables = {}, signal } = call;
    try {
      // The full schema is checked where the token is verified; a caller without any context must not get past here.
      if (!auth?.tenant_id || !auth.role || !Array.isArray(auth.permissions)) throw unauthenticated();
      const operation = this.#operations.getOrMake(query, () => this.#make(query));
      operation.guard.assert(auth, variables);
      assertReadsFor(auth, this.options.requirements);
      if (operation.representations(variables) > MAX_REPRESENTATIONS)
        throw badRequest(`_entities takes at most ${MAX_REPRESENTATIONS} representations`);
      return this.#public(await operation.run(this.options.context(this.name, auth, signal, operation.field), variables), auth);
    } catch (error) {
      if (error instanceof PalisadeError) return failedResult(publicError(error, undefined));
      this.#log(error, auth);
      if (isStoreAway(error)) return failedResult(storeUnavailable(this.name));
      return failedResult(internalError(undefined, auth?.request_id));
    }
  }

  #public(result: ExecutionResult, auth: AuthContext): ExecutionResult {
    const { data, errors } = result;
    if (!errors?.length) return { data };
    // Without data the operation never ran: its variables do not fit.
    if (data === undefined) return { errors: errors.map((error) => publicError(badRequest(error.message), undefined)) };
    return { data, errors: errors.map((error) => this.#publicField(error, auth)) };
  }

  #publicField(error: GraphQLError, auth: AuthContext): GraphQLError {
    const known = publicError(error, error.path, auth.request_id);
    if (known.extensions.code !== 'INTERNAL') return known;
    this.#log(error.originalError ?? error, auth, error.path);
    return isStoreAway(error.originalError) ? storeUnavailable(this.name, error.path) : known;
  }

  #log(error: unknown, auth: AuthContext | undefined, path?: GraphQLError['path']): void {
    this.options.logger.error({ err: error, engine: this.name, request_id: auth?.request_id, path: path?.join('.') }, 'an engine broke');
  }
}
