import type { Told } from '../../audit/entry.js';
import { getAuditLog } from '../../engine/create-context.js';
import type { EngineServices } from '../../engine/context.js';
import type { FindingFacts } from '../../engine/finding-facts.js';
import { inBatches } from '../../engine/retention.js';
import { FindingUpdates } from '../finding-updates.js';
import { CLOSABLE } from '../lifecycle.js';
import { MERGE_FIELDS, type StoredFacts } from '../merge.js';
import { findings } from '../row.js';
import { SuppressionsInForce } from './in-force.js';
import { suppressionMove } from './move.js';
import type { SuppressionRow } from './records.js';
import { SCOPED_FIELDS, scopeCondition, takes } from './scope.js';
import type { Filter } from '../../store/query.js';

/** Findings looked up at a time. */
const BATCH = 500;

/** The findings that a suppression may take: it moves those that are open, and others hold those that are suppressed already. */
export const TAKEABLE = { open: { status: { $in: CLOSABLE } }, held: { suppressed_by: { $gt: '' } } } as const;

/** As whom, and for how long, findings are moved. */
export interface Applying {
  readonly told: Omit<Told, 'target_email' | 'detail'>;
  readonly signal: AbortSignal;
  /** Asked between batches: whether the rest is left to a worker. */
  readonly isEnough?: () => boolean;
}

/**
 * Brings the findings that a suppression holds, and those that it takes, into the state that the tenant's suppressions say, in batches that a
 * crash does not lose. Doing it again changes nothing.
 * @returns false when `isEnough` ended it
 */
export async function applySuppression(services: EngineServices, row: SuppressionRow, applying: Applying): Promise<boolean> {
  for (const facts of services.findingEngines) {
    for await (const ids of affected(services, facts, row)) {
      applying.signal.throwIfAborted();
      if (ids.length === 0) continue;
      if (applying.isEnough?.()) return false;
      await settle(services, facts, row.tenant_id, ids, applying);
    }
  }
  return true;
}

/** `_id` of the findings of an engine that a suppression may hold wrongly, or not yet hold. */
async function* affected(services: EngineServices, facts: FindingFacts, row: SuppressionRow): AsyncGenerator<string[]> {
  const rows = services.database.tenant(row.tenant_id).engine(facts.engine).collection(findings);
  for await (const held of inBatches(rows.scan({ suppressed_by: row._id }, { fields: ['_id'], batchSize: BATCH })))
    yield held.map(({ _id }) => _id);
  const covers = row.scope.engine.length === 0 || row.scope.engine.includes(facts.viewSegment);
  if (row.state !== 'active' || !covers) return;
  for (const condition of Object.values(TAKEABLE)) yield* walkScope(services, facts, row, condition);
}

/** The findings of an engine that a scope takes, some at a time. */
export async function* walkScope(
  services: Pick<EngineServices, 'database' | 'ingest'>,
  { engine, viewSegment }: Pick<FindingFacts, 'engine' | 'viewSegment'>,
  { tenant_id, scope }: Pick<SuppressionRow, 'tenant_id' | 'scope'>,
  condition: Filter,
): AsyncGenerator<string[]> {
  const rows = services.database.tenant(tenant_id).engine(engine).collection(findings);
  const untagged = { ...scope, tag: [] };
  for await (const part of scope.tag.length === 0 ? [{}] : tagged(services, tenant_id, scope.tag)) {
    const found = rows.scan({ $and: [scopeCondition(scope), condition, part] }, { fields: SCOPED_FIELDS, batchSize: BATCH });
    for await (const batch of inBatches(found))
      yield batch.filter((finding) => takes(untagged, viewSegment, finding, {})).map(({ _id }) => _id);
  }
}

async function* tagged(
  services: Pick<EngineServices, 'database' | 'ingest'>,
  tenantId: string,
  tags: readonly string[],
): AsyncGenerator<Filter> {
  for await (const uids of services.ingest.tagged(services, tenantId, tags)) yield { resource_uid: { $in: uids } };
}

/** Holds stored findings against the suppressions in force, in one transaction. */
async function settle(
  services: EngineServices,
  facts: FindingFacts,
  tenantId: string,
  ids: readonly string[],
  { told }: Applying,
): Promise<void> {
  const { database, storeClock, clock } = services;
  const tenant = database.tenant(tenantId);
  await database.transaction(async (transaction) => {
    const suppressing = await SuppressionsInForce.read(tenant, facts, storeClock.now(), transaction);
    const rows: StoredFacts[] = await tenant
      .engine(facts.engine)
      .collection(findings)
      .find({ _id: { $in: ids } }, { fields: MERGE_FIELDS, transaction });
    const uids = rows.map(({ resource_uid }) => resource_uid);
    await suppressing.learnTags(services, tenantId, uids);
    const updates = new FindingUpdates(facts.engine, told);
    for (const row of rows) {
      const change = suppressing.change(row, clock.now(), told.actor_email);
      if (!change) continue;
      updates.set(row, change);
      const move = suppressionMove(suppressing, row, change);
      if (move) updates.moves.add(row.finding_id, move);
    }
    await updates.write(services, getAuditLog(services), tenantId, clock.now(), transaction);
  });
}
