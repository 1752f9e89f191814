import {
  EVALUATION_SOURCE,
  POSTURE_ENGINES,
  type ResourceResults,
  type ResultScope,
  type RuleVerdictEntry,
} from '../engine/rule-results.js';
import type { RunStart } from '../engine/ingest-input.js';
import { defineCollection, type RowOf } from '../store/collection.js';
import type { Database, TenantDatabase } from '../store/database.js';
import { date, list, nullable, object, optional, text } from '../store/fields.js';
import type { Filter, TransactionOf } from '../store/query.js';
import { observedAt } from './merge.js';
import { findings } from './row.js';
import { JUDGED_FIELDS, TallyChanges, tenantDigest, type JudgedFinding } from './rule-tallies.js';
import { RESOURCE_FIELDS } from '../engine/resource-fields.js';

/** What the rules said of one resource when it was last evaluated; `_id` is a digest of tenant and resource_uid: the next evaluation replaces it. */
export const ruleResults = defineCollection(
  'rule_results',
  {
    ...RESOURCE_FIELDS,
    /** What the run that evaluated it was told that it covers. */
    artifact: nullable(text),
    results: list(object<RuleVerdictEntry>()),
    scan_run_id: text,
    evaluated_at: date,
    /** When what was evaluated was observed; `evaluated_at` on rows of before it was kept. */
    observed_at: optional(date),
  },
  [
    { key: { tenant_id: 1, 'results.rule_id': 1, resource_uid: 1 } },
    { key: { tenant_id: 1, resource_uid: 1 } },
    { key: { tenant_id: 1, account_id: 1, artifact: 1 } },
  ],
);
export type ResourceResultsRow = RowOf<typeof ruleResults>;

export const resultsRowId = (tenantId: string, resourceUid: string): string => tenantDigest(tenantId, resourceUid);

/** The findings that posture rules have on resources, in whichever engine. */
export function findingsOfRules(tenant: TenantDatabase, filter: Filter, transaction: TransactionOf): Promise<JudgedFinding[]> {
  const rows = tenant.engines(POSTURE_ENGINES).collection(findings);
  return rows.find({ ...filter, source: EVALUATION_SOURCE }, { fields: JUDGED_FIELDS, transaction });
}

/**
 * Stores what a run's evaluation said of resources, with the tallies, in one transaction. What a run that observed later has said stays
 * (decision 47). Doing the same batch again changes nothing.
 */
export async function recordResults(database: Database, tenantId: string, run: RunStart, batch: readonly ResourceResults[]): Promise<void> {
  const latest = new Map(batch.map((resource) => [resultsRowId(tenantId, resource.resource_uid), resource]));
  const tenant = database.tenant(tenantId);
  await database.transaction(async (transaction) => {
    const rows = tenant.collection(ruleResults);
    const stored = await rows.find({ _id: { $in: [...latest.keys()] } }, { transaction });
    const known = new Map(stored.map((row) => [row._id, row]));
    const isNewer = ({ observed_at, evaluated_at }: ResourceResultsRow) => (observed_at ?? evaluated_at) > observedAt(run);
    const taken = [...latest].filter(([_id]) => !known.has(_id) || !isNewer(known.get(_id)!));
    const judged = await onResources(
      tenant,
      taken.map(([, resource]) => resource),
      transaction,
    );
    const changes = new TallyChanges(tenantId);
    for (const [_id, resource] of taken) changes.replace(known.get(_id) ?? null, resource, judged.get(resource.resource_uid) ?? [], run.at);
    await rows.bulkUpdate(
      taken.map(([_id, resource]) => ({
        _id,
        update: { $set: { ...resource, scan_run_id: run.scan_run_id, evaluated_at: run.at, observed_at: observedAt(run) } },
        upsert: true,
      })),
      { transaction },
    );
    await changes.write(database, transaction, run.at);
  });
}

/** Resources forgotten in one transaction. */
const FORGET_BATCH = 200;

/** Forgets resources of a scope that the completed `run`, which covers it, did not evaluate: they are gone, and count for no score. */
export async function forgetResults(database: Database, tenantId: string, run: RunStart, scope: ResultScope): Promise<void> {
  const tenant = database.tenant(tenantId);
  const rows = tenant.collection(ruleResults);
  const at = observedAt(run);
  const older = { $or: [{ observed_at: { $lte: at } }, { observed_at: null, evaluated_at: { $lte: at } }] };
  const forget = (): Promise<number> =>
    database.transaction(async (transaction) => {
      const gone = await rows.find({ ...scope, ...older, scan_run_id: { $ne: run.scan_run_id } }, { limit: FORGET_BATCH, transaction });
      const judged = await onResources(tenant, gone, transaction);
      const changes = new TallyChanges(tenantId);
      for (const row of gone) changes.replace(row, null, judged.get(row.resource_uid) ?? [], run.at);
      await rows.remove({ _id: { $in: gone.map(({ _id }) => _id) } }, { transaction });
      await changes.write(database, transaction, run.at);
      return gone.length;
    });
  while ((await forget()) === FORGET_BATCH);
}

/** The findings of posture rules by resource. */
async function onResources(
  tenant: TenantDatabase,
  resources: readonly { resource_uid: string }[],
  transaction: TransactionOf,
): Promise<Map<string, JudgedFinding[]>> {
  const found = new Map<string, JudgedFinding[]>();
  const filter = { resource_uid: { $in: resources.map(({ resource_uid }) => resource_uid) } };
  for (const finding of await findingsOfRules(tenant, filter, transaction)) {
    const list = found.get(finding.resource_uid);
    if (list) list.push(finding);
    else found.set(finding.resource_uid, [finding]);
  }
  return found;
}
