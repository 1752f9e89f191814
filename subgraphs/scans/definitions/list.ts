import type { EngineContext } from '../../../kit/engine/context.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import type { Provider } from '../../../schema/model.js';
import { scanRunRowId, scanRuns, type ScanRunRow } from '../records.js';
import { schedules } from '../schedules/records.js';
import { scanRowId, scans, type ScanRow } from './records.js';

export interface ScanListArguments extends PageArguments {
  provider?: Provider[] | null;
  account_id?: string[] | null;
}

/** The tenant's scans, those that were asked for last first. */
export async function listScans(context: EngineContext, { provider, account_id, ...page }: ScanListArguments) {
  const window = pageWindow(page);
  const rows = context.collection(scans);
  const condition = { ...(provider && { provider: { $in: provider } }), ...(account_id && { account_id: { $in: account_id } }) };
  const [items, total] = await Promise.all([
    rows.find(condition, { sort: { created_at: -1, scan_id: 1 }, skip: window.skip, limit: window.limit }),
    rows.count(condition),
  ]);
  return toPage(await shown(context, items), total, window);
}

/** One scan; null when the tenant has none of this id. */
export async function findScan(context: EngineContext, scanId: string) {
  const row = await context.collection(scans).findOne({ _id: scanRowId(context.auth.tenant_id, scanId) });
  return row && (await shown(context, [row]))[0]!;
}

/** A run as other things name it. */
export const runRef = ({ scan_run_id, provider, account_id, completed_at, total_findings }: ScanRunRow) => ({
  ...{ scan_run_id, provider, account_id, completed_at, total_findings },
});

/** The runs of these ids, as other things name them. */
export async function runRefs(context: EngineContext, ids: readonly (string | null)[]) {
  const rowIds = ids.flatMap((id) => (id === null ? [] : scanRunRowId(context.auth.tenant_id, id)));
  const rows = rowIds.length === 0 ? [] : await context.collection(scanRuns).find({ _id: { $in: rowIds } });
  return new Map(rows.map((run) => [run.scan_run_id, runRef(run)]));
}

async function shown(context: EngineContext, rows: readonly ScanRow[]) {
  const waiting = { scan_id: { $in: rows.map(({ scan_id }) => scan_id) }, next_run_at: { $ne: null } };
  const [runs, timed] = await Promise.all([
    runRefs(
      context,
      rows.map(({ last_run_id }) => last_run_id),
    ),
    context.collection(schedules).find(waiting, { sort: { next_run_at: -1 }, fields: ['scan_id', 'next_run_at'] }),
  ]);
  // the earliest of a scan comes last
  const next = new Map(timed.map(({ scan_id, next_run_at }) => [scan_id, next_run_at]));
  return rows.map(({ scan_id, provider, account_id, regions, services, engines, last_run_id, created_by, created_at }) => ({
    ...{ scan_id, provider, account_id, scope: { account_id, regions, services, engines } },
    last_run: last_run_id === null ? null : (runs.get(last_run_id) ?? null),
    next_run_at: next.get(scan_id) ?? null,
    ...{ created_by, created_at },
  }));
}
