import type { EngineContext } from '../engine/context.js';
import { ENDABLE } from './lifecycle.js';
import { findings, type FindingRow } from './row.js';

/** A finding that a run may close, or note as absent. */
export type ClosableFinding = Pick<FindingRow, '_id' | 'engine' | 'rule_id' | 'resource_uid'>;

/** The findings of one source on these resources that a run may close, or note as absent, by the engine that holds them: one read. */
export async function readClosable(
  { services, auth }: Pick<EngineContext, 'services' | 'auth'>,
  engines: Iterable<string>,
  source: string,
  resourceUids: readonly string[],
): Promise<ReadonlyMap<string, readonly ClosableFinding[]>> {
  const rows = services.database
    .tenant(auth.tenant_id)
    .engines([...engines])
    .collection(findings);
  const found = await rows.find(
    { resource_uid: { $in: resourceUids }, source, ...ENDABLE },
    { fields: ['engine', 'rule_id', 'resource_uid'] },
  );
  const owners = new Set(found.map(({ engine }) => engine));
  return new Map([...owners].map((owner) => [owner, found.filter(({ engine }) => engine === owner)]));
}
