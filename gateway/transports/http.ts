import { GraphQLError, type ExecutionResult } from 'graphql';
import { Pool } from 'undici';
import { z } from 'zod';
import type { EngineCall, EngineCaller } from '../../kit/engine/caller.js';
import type { Logger } from '../../kit/base/logger.js';
import { AUTH_CONTEXT_HEADER, type ContextSigner } from '../auth-context-token.js';
import { engineUnavailable, failedResult, publicError } from '../../http/engine-errors.js';
import { withinBudget } from './time-budget.js';

/** Path of an engine's endpoint, on both sides of the wire; it is what the token is signed for. */
export const enginePath = (engine: string): string => `/engines/${engine}/graphql`;

export interface HttpCallerOptions {
  /** Where the engines listen: ENGINES_URL. */
  readonly baseUrl: string;
  readonly engines: readonly string[];
  readonly signer: ContextSigner;
  readonly logger: Logger;
  /** Milliseconds for a call that brings no budget of its own: ENGINE_TIMEOUT_MS. */
  readonly timeoutMs: number;
  /** Connections kept open to the engines. */
  readonly connections?: number;
}

export interface HttpCaller extends EngineCaller {
  /** Closes the connections; calls after it answer UPSTREAM_UNAVAILABLE. */
  close(): Promise<void>;
}

const path = z.array(z.union([z.string(), z.number()]));
const answerSchema = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z
    .array(z.object({ message: z.string(), path: path.optional(), extensions: z.record(z.string(), z.unknown()).optional() }))
    .optional(),
});

/** Refusals that mean our own call was wrong, not the client's: the client reads that the engine is unavailable, the log says more. */
const REFUSED = new Set([401, 404, 413, 415]);

/** Calls engines behind a URL: one POST a call over kept-open connections, with an X-Auth-Context signed for that engine and body alone. */
export function createHttpCaller({ baseUrl, engines, signer, logger, timeoutMs, connections = 64 }: HttpCallerOptions): HttpCaller {
  const url = new URL(baseUrl);
  const prefix = url.pathname.replace(/\/$/, '');
  const pool = new Pool(url.origin, { connections, pipelining: 1, keepAliveTimeout: 30_000 });
  const known = new Set(engines);

  const send = async ({ engine, query, variables, auth }: EngineCall, signal: AbortSignal): Promise<ExecutionResult> => {
    const target = enginePath(engine);
    const body = JSON.stringify({ query, variables });
    const token = await signer.sign(auth, { engine, method: 'POST', path: target, body });
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      [AUTH_CONTEXT_HEADER]: token,
      'x-request-id': auth.request_id,
    };
    const response = await pool.request({ method: 'POST', path: `${prefix}${target}`, headers, body, signal });
    if (REFUSED.has(response.statusCode)) {
      await response.body.dump();
      throw new Error(`status ${response.statusCode}`);
    }
    const { data, errors } = answerSchema.parse(await response.body.json());
    if (data === undefined && !errors?.length) throw new Error('neither data nor errors');
    const shown = errors?.map((error) =>
      publicError(new GraphQLError(error.message, { extensions: error.extensions }), error.path, auth.request_id),
    );
    return { ...(data === undefined ? {} : { data }), ...(shown?.length ? { errors: shown } : {}) };
  };

  const call = async (request: EngineCall): Promise<ExecutionResult> => {
    const { engine, auth, signal } = request;
    if (!known.has(engine)) return failedResult(engineUnavailable(engine, 'is not listed'));
    return withinBudget(
      { engine, timeoutMs: request.timeoutMs ?? timeoutMs, signal },
      (inner) => send(request, inner),
      (error) => {
        logger.warn({ err: error, engine, request_id: auth.request_id }, 'a call to an engine failed');
        return failedResult(engineUnavailable(engine, 'is not available'));
      },
    );
  };
  // The answer's type is the caller's knowledge of its own query.
  return { engines, call: call as EngineCaller['call'], close: () => pool.destroy() };
}
