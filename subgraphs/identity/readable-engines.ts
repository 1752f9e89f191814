import type { EngineContext } from '../../kit/engine/context.js';
import { isPermission } from '../../schema/permissions.js';

/** The engines with a query that the caller's permissions allow, in the order of the list. */
export function listReadableEngines({ auth, services: { queryRequirements } }: EngineContext): string[] {
  const held: readonly string[] = auth.permissions;
  const mayRun = (requires: string) => requires.split('+').every((part) => isPermission(part) && held.includes(part));
  return [...queryRequirements].flatMap(([engine, requirements]) => (requirements.some(mayRun) ? [engine] : []));
}
