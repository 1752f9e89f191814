import { getNamedType, type ExecutionResult } from 'graphql';
import type { FastifyReply } from 'fastify';
import { codeOf, degradedEngines, sendError } from '../http/envelope.js';
import { notFound } from '../kit/base/errors.js';
import { entityTagOf } from './entity-tag.js';
import { isAbsence, type RestRoute } from './routes.js';

/** What a graph result means over REST: a value to send, or the error that decides. */
export type Outcome =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown; readonly degraded: readonly string[] };

/** `AttackPathDetail` -> `Attack path detail`. */
const spoken = (typeName: string): string => typeName.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/**
 * Reads a graph result. A value next to errors stands only if every error says that an engine is away: that is a fan-out that lost
 * engines, and the value names them (decision 12). Otherwise the first error with a code decides.
 */
export function outcomeOf(route: RestRoute, result: ExecutionResult): Outcome {
  const errors = result.errors ?? [];
  const value: unknown = result.data?.[route.field] ?? null;
  const partial = value !== null && errors.every((error) => codeOf(error) === 'UPSTREAM_UNAVAILABLE');
  if (errors.length > 0 && !partial)
    return { ok: false, error: errors.find((error) => codeOf(error) !== null) ?? errors[0], degraded: degradedEngines(errors) };
  if (value === null && isAbsence(route) && route.status !== 204) {
    return { ok: false, error: notFound(spoken(getNamedType(route.definition.type).name)), degraded: [] };
  }
  return { ok: true, value };
}

/** Sends an outcome: the value itself is the body, with its status and ETag; 204 has none. */
export function sendOutcome(reply: FastifyReply, route: RestRoute, outcome: Outcome): FastifyReply {
  if (!outcome.ok) return sendError(reply, outcome.error, outcome.degraded);
  reply.code(route.status);
  if (route.status === 204) return reply.send();
  const tag = entityTagOf(outcome.value);
  if (tag !== null) reply.header('etag', tag);
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(outcome.value));
}
