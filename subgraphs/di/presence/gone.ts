import { createTimeSlice } from '../../../kit/base/time-slice.js';
import type { EngineContext, IngestSinks } from '../../../kit/engine/context.js';
import type { AssetProjection } from '../../../kit/engine/projection.js';
import { EVALUATION_SOURCE } from '../../../kit/engine/rule-results.js';
import type { RunStart, SeenAsset, WholeParts } from '../../../kit/engine/ingest-input.js';
import { readClosable } from '../../../kit/findings/closable.js';
import { repeatOnDuplicate, type TenantDatabase } from '../../../kit/store/database.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { noteEvents, noteRun } from '../changes/note.js';
import { AssetCounterChanges } from '../counters.js';
import { keepCountsBefore } from '../counts-before.js';
import { markAccessDue } from '../access/due.js';
import { removeLinks } from '../links/remove.js';
import { removeTexts, writeTexts } from '../list/texts.js';
import { assetRowId, assets, goneAssets, type AssetRow } from '../records.js';
import { rescoreMark } from '../risk/rescore.js';
import { isPlanned, observedAt } from './outranked.js';

/** Assets of one transaction. */
const BATCH = 200;

/** Takes assets out of all that lists and counts them: they are no more. Their rows are removed by the caller. */
export async function withdraw(
  projections: readonly AssetProjection[],
  tenant: TenantDatabase,
  going: readonly AssetRow[],
  transaction: TransactionOf,
): Promise<void> {
  const counters = new AssetCounterChanges(tenant);
  for (const asset of going) counters.move(asset, null);
  await counters.write(transaction);
  await removeLinks(tenant, going, transaction);
  await markAccessDue(tenant, going, transaction);
  const ids = going.map(({ _id }) => _id);
  await removeTexts(tenant, ids, transaction);
  for (const projection of projections) await projection.remove(tenant, ids, transaction);
}

/** Stands before the name of a part: names of estates are paths and addresses, which do not hold it. */
const PART = '\u0001';
const BEHIND_PARTS = '\u0002';

/** The name of a part of an estate. */
export const partOfEstate = (estate: string, part: string | undefined): string => (part === undefined ? estate : `${estate}${PART}${part}`);

/** What is told of an estate, or of some of its parts. */
const toldOf = (estate: string, parts: WholeParts): object[] =>
  parts === 'all'
    ? [{ estate }, { estate: { $gt: `${estate}${PART}`, $lt: `${estate}${BEHIND_PARTS}` } }]
    : parts.length > 0
      ? [{ estate: { $in: parts.map((part) => partOfEstate(estate, part)) } }]
      : [];

/** Marks as gone what a run, which has told all of an estate or of parts of it, did not show of that. Idempotent; killed, it goes on where it was. */
export const markGone: IngestSinks['unseen'] = async (context, run, estate, parts) => {
  const { services, auth, signal } = context;
  const tenant = services.database.tenant(auth.tenant_id);
  const pause = createTimeSlice();
  await context.transaction(async (transaction) => {
    await keepCountsBefore(tenant, run, transaction);
    await noteRun(tenant, run, [], transaction);
  });
  for (const told of toldOf(estate, parts)) {
    // what a later one has observed is there
    const unseen = { ...told, scan_run_id: { $ne: run.scan_run_id }, observed_at: { $lt: observedAt(run) } };
    for (;;) {
      signal.throwIfAborted();
      const next = await tenant.collection(assets).find(unseen, { limit: BATCH, fields: ['resource_uid'] });
      if (next.length === 0) break;
      const uids = next.map(({ resource_uid }) => resource_uid);
      // what is gone counts for no score, and breaks no rule
      await services.ingest.forgetResults(context, run, { resource_uid: { $in: uids } });
      await closeEvaluated(context, run, uids);
      await services.ingest.gone(context, run, uids);
      await context.transaction((transaction) =>
        goneBatch(context, tenant, run, { ...unseen, _id: { $in: next.map(({ _id }) => _id) } }, transaction),
      );
      await pause();
    }
  }
};

/** Closes what the evaluation of rules has found on resources that are no more; what scanners say of them is theirs to end. */
async function closeEvaluated(context: EngineContext, run: RunStart, uids: readonly string[]): Promise<void> {
  const { ingest } = context.services;
  for (const [engine, open] of await readClosable(context, ingest.findingEngines, EVALUATION_SOURCE, uids)) {
    const ids = open.map(({ _id }) => _id);
    await ingest.findings(context, engine).closePassed({ ...run, format: EVALUATION_SOURCE }, ids);
  }
}

async function goneBatch(
  { services }: EngineContext,
  tenant: TenantDatabase,
  run: RunStart,
  unseen: object,
  transaction: TransactionOf,
): Promise<void> {
  const rows = tenant.collection(assets);
  const going: AssetRow[] = await rows.find({ ...unseen }, { transaction });
  if (going.length === 0) return;
  await withdraw(services.ingest.projections, tenant, going, transaction);
  await noteEvents(tenant, run, 'gone', going, transaction);
  await rows.remove({ _id: { $in: going.map(({ _id }) => _id) } }, { transaction });
  const gone = going.map(({ links_due: _due, rescore_due: _marked, ...asset }) => ({
    ...asset,
    ...{ gone_at: run.at, gone_in: run.scan_run_id, gone_observed_at: observedAt(run) },
  }));
  await tenant.collection(goneAssets).insertMany(gone, { transaction }).catch(repeatOnDuplicate);
}

/**
 * Brings back the assets of a batch that were gone, as they were, before the batch is written over them. A plan, which tells what shall be, and what
 * was observed before they went bring nothing back.
 * @returns the batch without what stays gone
 */
export async function bringBack(
  tenant: TenantDatabase,
  run: RunStart,
  seen: readonly SeenAsset[],
  transaction: TransactionOf,
): Promise<readonly SeenAsset[]> {
  const ids = [...new Set(seen.map(({ resource_uid }) => assetRowId(tenant.tenantId, resource_uid)))];
  const gone = await tenant.collection(goneAssets).find({ _id: { $in: ids } }, { transaction });
  if (gone.length === 0) return seen;
  const real = new Set(seen.filter((asset) => !isPlanned(asset)).map(({ resource_uid }) => resource_uid));
  const returning = gone.filter(({ resource_uid, gone_observed_at }) => real.has(resource_uid) && observedAt(run) > gone_observed_at);
  const back = returning.map(({ gone_at: _at, gone_in: _in, gone_observed_at: _observed, ...asset }) => ({
    ...asset,
    links_due: 'all' as const,
    // findings that came while it was gone were scored without it
    ...rescoreMark({}, asset),
  }));
  const counters = new AssetCounterChanges(tenant);
  for (const asset of back) counters.move(null, asset);
  await counters.write(transaction);
  await markAccessDue(tenant, back, transaction);
  await noteEvents(tenant, run, 'returned', back, transaction);
  await tenant.collection(assets).insertMany(back, { transaction }).catch(repeatOnDuplicate);
  await writeTexts(tenant, back, transaction);
  await tenant.collection(goneAssets).remove({ _id: { $in: back.map(({ _id }) => _id) } }, { transaction });
  const staying = new Set(gone.map(({ resource_uid }) => resource_uid));
  for (const { resource_uid } of back) staying.delete(resource_uid);
  return seen.filter(({ resource_uid }) => !staying.has(resource_uid));
}
