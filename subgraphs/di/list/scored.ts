import { createTimeSlice } from '../../../kit/base/time-slice.js';
import { READERS } from '../../../kit/findings/readers.js';
import type { PageWindow } from '../../../kit/store/paging.js';
import type { Filter } from '../../../kit/store/query.js';
import type { RowReader } from '../../../kit/store/row-reader.js';
import type { AssetRow } from '../records.js';
import { riskSums, type RiskSums } from '../risk/columns.js';
import { sortOf, type AssetOrder } from './order.js';

/** An asset with the numbers that an order goes by, and its identifier last. */
interface Scored {
  readonly _id: string;
  readonly values: readonly (number | string)[];
}

/** What assets are read from one by one: those that are there, or those that are gone. */
export type ScannedAssets = Pick<RowReader<AssetRow>, 'scan'>;

type Row = Pick<AssetRow, 'resource_uid' | 'last_seen_at'>;

/** What an order compares. */
const VALUES: Readonly<Record<AssetOrder['by'], (row: Row, sums: RiskSums) => number[]>> = {
  resource_uid: () => [],
  risk: (_, { max, sum }) => [max, sum],
  open_findings: (_, { open }) => [open],
  last_seen_at: ({ last_seen_at }) => [last_seen_at.getTime()],
};
const valuesOf = (by: AssetOrder['by'], row: Row, sums: RiskSums) => [...VALUES[by](row, sums), row.resource_uid];

/** Below zero where the one stands before the other in ascending order. */
function compare(one: readonly (number | string)[], other: readonly (number | string)[]): number {
  const at = one.findIndex((value, n) => value !== other[n]);
  return at === -1 ? 0 : one[at]! < other[at]! ? -1 : 1;
}

const NONE: RiskSums = riskSums({}, []);

/** The widest reader: what others may read of an asset is never more than its sums. */
const ALL = READERS[0];

/**
 * The ids of one page of the assets that a condition selects, for a caller whose engines are those of no role: the sums of each asset are made while
 * it is read. Descending, assets are read by the sums of all engines, until none that follows can be on the page.
 */
export async function scoredPage(
  rows: ScannedAssets,
  condition: Filter,
  order: AssetOrder,
  engines: readonly string[],
  riskMin: number,
  { skip, limit }: Pick<PageWindow, 'skip' | 'limit'>,
): Promise<string[]> {
  const way = order.descending ? -1 : 1;
  const wanted = skip + limit;
  const pause = createTimeSlice();
  let best: Scored[] = [];
  const cut = (): void => {
    best.sort((one, other) => way * compare(one.values, other.values));
    best = best.slice(0, wanted);
  };
  const options = { sort: sortOf(order, ALL), fields: ['resource_uid', 'last_seen_at', 'open_findings', 'risk'], batchSize: 1_000 };
  for await (const row of rows.scan(condition, options)) {
    await pause();
    const last = best.length >= wanted * 2 ? (cut(), best.at(-1)) : undefined;
    if (last && order.descending && compare(valuesOf(order.by, row, row.risk?.[ALL] ?? NONE), last.values) < 0) break;
    const sums = riskSums(row.open_findings ?? {}, engines);
    if (sums.max >= riskMin) best.push({ _id: row._id, values: valuesOf(order.by, row, sums) });
  }
  cut();
  return best.slice(skip).map(({ _id }) => _id);
}

/** How many of the assets that a condition selects have a finding of at least a risk score in some engines. */
export async function countScored(rows: ScannedAssets, condition: Filter, engines: readonly string[], riskMin: number): Promise<number> {
  const pause = createTimeSlice();
  let count = 0;
  for await (const { open_findings = {} } of rows.scan(condition, { fields: ['open_findings'], batchSize: 1_000 })) {
    await pause();
    if (riskSums(open_findings, engines).max >= riskMin) count += 1;
  }
  return count;
}
