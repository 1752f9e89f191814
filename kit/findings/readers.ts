import { permissionsOf, type Permission } from '../../schema/permissions.js';
import { holds, type AuthContext } from '../base/auth-context.js';
import type { FindingFacts } from '../engine/finding-facts.js';

/**
 * Roles that stand for what callers read of findings: each role reads the same engines as one of them (a test holds it), so that sums over
 * engines are kept for these. A key with fewer permissions reads others.
 */
export const READERS = ['analyst', 'viewer'] as const;
export type Reader = (typeof READERS)[number];

const HELD = new Map<Reader, ReadonlySet<Permission>>(READERS.map((reader) => [reader, new Set(permissionsOf(reader))]));

type Engines = readonly Pick<FindingFacts, 'engine' | 'permission'>[];

/** Names of the engines that a role reads. */
export const enginesOf = (reader: Reader, engines: Engines): string[] =>
  engines.filter(({ permission }) => HELD.get(reader)!.has(permission)).map(({ engine }) => engine);

/** Names of the engines that a caller may read. */
export const readableEngines = (engines: Engines, auth: AuthContext): string[] =>
  engines.filter(({ permission }) => holds(auth, permission)).map(({ engine }) => engine);

/** The role whose sums are a caller's; null for one that reads other engines than any role. */
export function readerOf(engines: Engines, auth: AuthContext): Reader | null {
  const readable = readableEngines(engines, auth).join();
  return READERS.find((reader) => enginesOf(reader, engines).join() === readable) ?? null;
}
