import { z } from 'zod';
import { holds } from '../../../kit/base/auth-context.js';
import { invalid, missingPermission, violationsOf } from '../../../kit/base/errors.js';
import { setMembers } from '../../../kit/base/set-members.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { SuppressionScope } from '../../../kit/findings/suppressions/scope.js';

/** Up to a hundred texts, each once. */
export const values = (longest: number) =>
  z
    .array(z.string().min(1).max(longest))
    .max(100)
    .default([])
    .transform((all) => [...new Set(all)]);

/** The parts of a scope. */
export const SCOPE_PARTS = {
  engine: values(100),
  rule_id: values(512),
  resource_uid: values(2_048),
  tag: values(512),
  account_id: values(512),
  region: values(512),
  cve: values(100).transform((ids) => ids.map((id) => id.toUpperCase())),
};

const scopeSchema = z
  .strictObject(SCOPE_PARTS)
  .refine(
    (scope) => Object.values(scope).some((list) => list.length > 0),
    'name at least one rule, resource, tag, account, region, engine or CVE',
  );
const reasonSchema = z.string().trim().min(1).max(2_000);

/** A part of an input by its schema. @throws PalisadeError VALIDATION_ERROR with paths below `name` */
export function checked<T extends z.ZodType>(name: string, schema: T, value: unknown): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(violationsOf(parsed.error).map(({ path, message }) => ({ path: path === '' ? name : `${name}.${path}`, message })));
}

export const checkReason = (reason: unknown): string => checked('reason', reasonSchema, reason);

/** @throws PalisadeError VALIDATION_ERROR; FORBIDDEN for an engine that the caller may not read */
export function checkScope(context: EngineContext, input: unknown): SuppressionScope {
  const scope = checked('scope', scopeSchema, setMembers(input as object));
  assertReadable(context, 'scope.engine', scope.engine);
  return scope;
}

/** @throws PalisadeError VALIDATION_ERROR for a segment of no engine; FORBIDDEN for an engine that the caller may not read */
export function assertReadable({ auth, services }: EngineContext, path: string, segments: readonly string[]): void {
  for (const segment of segments) {
    const facts = services.findingEngines.find(({ viewSegment }) => viewSegment === segment);
    if (!facts) throw invalid([{ path, message: `${segment} is not a view segment` }]);
    if (!holds(auth, facts.permission)) throw missingPermission(facts.permission);
  }
}

/** @throws PalisadeError VALIDATION_ERROR for a moment that is over */
export function checkExpiry({ services }: EngineContext, expires_at: Date | null | undefined): Date | null {
  if (expires_at == null) return null;
  if (expires_at <= services.storeClock.now()) throw invalid([{ path: 'expires_at', message: 'must lie in the future' }]);
  return expires_at;
}
