import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { readableEngines } from '../../../kit/findings/readers.js';
import { DIFF_CHANGES, readRunDiff, type DiffChange } from '../../../kit/findings/run-diff.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import { scanRuns, type ScanRunRow } from '../records.js';
import { findScanRun } from '../service.js';

export interface DiffArguments extends PageArguments {
  scan_run_id: string;
  change?: DiffChange[] | null;
  engine?: string[] | null;
}

/** Runs in between that are told of. */
const MOST_BETWEEN = 100;

/** What a run changed since the last completed one of its scope; null when there is no such run. @throws PalisadeError BAD_REQUEST */
export async function diffOfRun(context: EngineContext, args: DiffArguments) {
  const window = pageWindow(args);
  const { services, auth } = context;
  const all = services.findingEngines;
  const unknown = (args.engine ?? []).filter((segment) => !all.some(({ viewSegment }) => viewSegment === segment));
  if (unknown.length > 0) throw badRequest(`engine must be one of ${all.map(({ viewSegment }) => viewSegment).join(', ')}`);
  const run = await findScanRun(context, args.scan_run_id);
  if (!run) return null;

  const readable = new Set(readableEngines(all, auth));
  const asked = all.filter(({ engine, viewSegment }) => readable.has(engine) && (!args.engine || args.engine.includes(viewSegment)));
  const { against, between } = await comparedWith(context, run);
  const kinds = DIFF_CHANGES.filter((change) => !args.change || args.change.includes(change));
  const tenant = services.database.tenant(auth.tenant_id);
  const { counts, total, items } = await readRunDiff(tenant, asked, [run.scan_run_id, ...between], kinds, window);
  return {
    scan_run_id: run.scan_run_id,
    state: run.state,
    against,
    between,
    counts,
    ...toPage(items, total, window),
    restrictedEngines: all.filter(({ engine }) => !readable.has(engine)).map(({ viewSegment }) => viewSegment),
  };
}

/** The last completed run before one, of its scope, and the runs between them. */
async function comparedWith(context: EngineContext, run: ScanRunRow): Promise<{ against: ScanRunRow | null; between: string[] }> {
  // a run of an earlier release does not tell what it is comparable with
  if (run.scope_digest === undefined) return { against: null, between: [] };
  const rows = context.collection(scanRuns);
  const before = { scope_digest: run.scope_digest, created_at: { $lte: run.created_at }, scan_run_id: { $ne: run.scan_run_id } };
  const newestFirst = { created_at: -1 } as const;
  const against = await rows.findOne({ ...before, state: 'COMPLETED' }, { sort: newestFirst });
  // without one to compare with, all that the scope has had so far is new
  const since = against ? { created_at: { $gte: against.created_at, $lte: run.created_at } } : {};
  const between = await rows.find(
    { ...before, ...since, state: { $ne: 'COMPLETED' } },
    { sort: newestFirst, limit: MOST_BETWEEN, fields: ['scan_run_id'] },
  );
  return { against, between: between.map(({ scan_run_id }) => scan_run_id) };
}
