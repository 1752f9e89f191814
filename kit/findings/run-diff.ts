import type { FindingFacts } from '../engine/finding-facts.js';
import type { TenantDatabase } from '../store/database.js';
import { keptUnder } from '../store/kept.js';
import type { PageWindow } from '../store/paging.js';
import { countersVersion } from './kept.js';
import { STANDARD_COLUMNS } from './item.js';
import { findings, type FindingRow } from './row.js';
import { findingRunChanges, RUN_CHANGES, type FindingBefore } from './run-changes.js';

/** What runs did to findings, in the order in which a list tells it. */
export const DIFF_CHANGES = ['new', ...RUN_CHANGES] as const;
export type DiffChange = (typeof DIFF_CHANGES)[number];

/** The columns that a change shows of its finding, as it is today. */
export type DiffColumns = Pick<FindingRow, (typeof STANDARD_COLUMNS)[number]>;

/** What one of the runs did to a finding. */
export type FindingChange = DiffColumns & {
  change: DiffChange;
  /** View segment. */
  engine: string;
  /** The run that did it. */
  scan_run_id: string;
  /** How it stood before; null for what is new. */
  before: FindingBefore | null;
};

type Facts = Pick<FindingFacts, 'engine' | 'viewSegment'>;

/** Changes of one kind in one engine, counted. */
interface Segment {
  facts: Facts;
  change: DiffChange;
  count: number;
}

const COLUMNS = ['engine', 'opened_by', ...STANDARD_COLUMNS];
const WORST_FIRST = { severity_rank: -1, finding_id: 1 } as const;

/**
 * What some runs did to the findings of some engines.
 * @param engines those that the caller may read
 * @returns how many changes there are of each kind, and one page of those kinds that are asked for: by kind, then engine, the worst first
 */
export async function readRunDiff(
  tenant: TenantDatabase,
  engines: readonly Facts[],
  runIds: readonly string[],
  changes: readonly DiffChange[],
  { skip, limit }: PageWindow,
): Promise<{ counts: Record<DiffChange, number>; total: number; items: FindingChange[] }> {
  const names = engines.map(({ engine }) => engine);
  // another one after each change of a finding, and with findings alone the changes of runs change
  const version = await countersVersion(tenant, names);
  const segments = await keptUnder([tenant.tenantId, 'run diff', version, names, runIds], () => count(tenant, engines, runIds));
  const counts = Object.fromEntries(DIFF_CHANGES.map((change) => [change, 0])) as Record<DiffChange, number>;
  for (const { change, count: n } of segments) counts[change] += n;
  const items: FindingChange[] = [];
  let passed = 0;
  for (const segment of segments.filter(({ change }) => changes.includes(change))) {
    const [from, to] = [Math.max(0, skip - passed), Math.min(segment.count, skip + limit - passed)];
    if (from < to) items.push(...(await read(tenant, segment, runIds, from, to - from)));
    passed += segment.count;
  }
  return { counts, total: changes.reduce((sum, change) => sum + counts[change], 0), items };
}

async function count(tenant: TenantDatabase, engines: readonly Facts[], runIds: readonly string[]): Promise<Segment[]> {
  if (engines.length === 0) return [];
  const readable = tenant.engines(engines.map(({ engine }) => engine));
  const among = { $in: runIds };
  const [opened, changed] = await Promise.all([
    readable
      .collection(findings)
      .aggregate<{ _id: string; n: number }>([{ $match: { opened_by: among } }, { $group: { _id: '$engine', n: { $sum: 1 } } }]),
    readable.collection(findingRunChanges).aggregate<{
      _id: { engine: string; change: DiffChange };
      n: number;
    }>([{ $match: { scan_run_id: among } }, { $group: { _id: { engine: '$engine', change: '$change' }, n: { $sum: 1 } } }]),
  ]);
  const found = [
    ...opened.map(({ _id, n }) => ({ engine: _id, change: 'new' as DiffChange, n })),
    ...changed.map(({ _id, n }) => ({ ..._id, n })),
  ];
  return DIFF_CHANGES.flatMap((change) =>
    engines.flatMap((facts) => {
      const one = found.find((group) => group.engine === facts.engine && group.change === change);
      return one ? [{ facts, change, count: one.n }] : [];
    }),
  );
}

async function read(tenant: TenantDatabase, segment: Segment, runIds: readonly string[], skip: number, limit: number) {
  const { facts, change } = segment;
  const database = tenant.engine(facts.engine);
  const rows = database.collection(findings);
  const among = { $in: runIds };
  if (change === 'new') {
    const opened = await rows.find({ opened_by: among }, { sort: WORST_FIRST, skip, limit, fields: COLUMNS });
    return opened.map((row) => shown(row, facts, { change, scan_run_id: row.opened_by!, before: null }));
  }
  const noted = await database
    .collection(findingRunChanges)
    .find({ scan_run_id: among, change }, { sort: { ...WORST_FIRST, scan_run_id: 1 }, skip, limit });
  const present = await rows.find({ finding_id: { $in: noted.map(({ finding_id }) => finding_id) } }, { fields: COLUMNS });
  const byId = new Map(present.map((row) => [row.finding_id, row]));
  return noted.flatMap(({ finding_id, scan_run_id, before }) => {
    const row = byId.get(finding_id);
    return row ? [shown(row, facts, { change, scan_run_id, before })] : [];
  });
}

function shown(row: FindingRow, { viewSegment }: Facts, told: Pick<FindingChange, 'change' | 'scan_run_id' | 'before'>): FindingChange {
  const columns = Object.fromEntries(STANDARD_COLUMNS.map((column) => [column, row[column]])) as DiffColumns;
  return { ...columns, ...told, engine: viewSegment };
}
