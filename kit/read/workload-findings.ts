import type { EngineContext } from '../engine/context.js';
import { CLOSABLE } from '../findings/lifecycle.js';
import { readableEngines } from '../findings/present-owner.js';
import { findings } from '../findings/row.js';

/** That a source has reported on a resource, and when last. */
export interface SourceSeen {
  readonly resource_uid: string;
  readonly source: string;
  readonly last_seen_at: Date;
}

/** Of one resource: how many findings there are, whatever became of them, and how many open ones have a version that mends them. */
export interface FixableCount {
  readonly resource_uid: string;
  readonly total: number;
  readonly fixable: number;
}

/** The rows of those engines that the caller may read. */
function rowsOf({ auth, services }: EngineContext, wanted: readonly string[] | null) {
  const engines = readableEngines(services, auth).filter((engine) => wanted === null || wanted.includes(engine));
  return engines.length === 0 ? null : services.database.tenant(auth.tenant_id).engines(engines).collection(findings);
}

/** Open findings of an engine by resource; null where the caller may not read it. */
export async function countOpenOn(
  context: EngineContext,
  engine: string,
  uids: readonly string[],
): Promise<ReadonlyMap<string, number> | null> {
  const found = await rowsOf(context, [engine])?.aggregate<{ _id: string; total: number }>([
    { $match: { resource_uid: { $in: uids }, status: { $in: CLOSABLE } } },
    { $group: { _id: '$resource_uid', total: { $sum: 1 } } },
  ]);
  return found ? new Map(found.map(({ _id, total }) => [_id, total])) : null;
}

/** Which of some sources have reported on resources, in the engines that the caller may read. */
export async function readSourcesOn(context: EngineContext, sources: readonly string[], uids: readonly string[]): Promise<SourceSeen[]> {
  const found = await rowsOf(context, null)?.aggregate<{ _id: { uid: string; source: string }; last: Date }>([
    { $match: { resource_uid: { $in: uids }, source: { $in: sources } } },
    { $group: { _id: { uid: '$resource_uid', source: '$source' }, last: { $max: '$last_seen_at' } } },
  ]);
  return (found ?? []).map(({ _id, last }) => ({ resource_uid: _id.uid, source: _id.source, last_seen_at: last }));
}

/** Findings of an engine of vulnerabilities by resource; null where the caller may not read it. */
export async function countFixable(context: EngineContext, engine: string, uids: readonly string[]): Promise<FixableCount[] | null> {
  const rows = rowsOf(context, [engine]);
  if (rows === null) return null;
  const [all, open] = await Promise.all([
    rows.aggregate<{ _id: string; total: number }>([
      { $match: { resource_uid: { $in: uids } } },
      { $group: { _id: '$resource_uid', total: { $sum: 1 } } },
    ]),
    rows.aggregate<{ _id: string; total: number }>([
      { $match: { resource_uid: { $in: uids }, status: { $in: CLOSABLE }, fixable: true } },
      { $group: { _id: '$resource_uid', total: { $sum: 1 } } },
    ]),
  ]);
  const fixable = new Map(open.map(({ _id, total }) => [_id, total]));
  return all.map(({ _id, total }) => ({ resource_uid: _id, total, fixable: fixable.get(_id) ?? 0 }));
}
