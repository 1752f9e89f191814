import { createTimeSlice } from '../../base/time-slice.js';
import type { TenantDatabase } from '../../store/database.js';
import { feedHeads, findingFeed, type FeedEntry, type FindingFeedRow } from './records.js';

/** A change with its number, its time and the engine that holds the finding. */
export interface FedChange extends FeedEntry {
  readonly seq: number;
  readonly at: Date;
  readonly engine: string;
}

/** Rows that are read at a time, and those that one page looks at: the others are the next page's. */
const [ROWS, MOST_ROWS] = [10, 200];

/** Where a tenant's feed ends, and up to where it is not kept any more. */
export async function feedEnds(tenant: TenantDatabase): Promise<{ seq: number; removed_to: number }> {
  const head = await tenant.collection(feedHeads).findOne({ _id: tenant.tenantId });
  return { seq: head?.seq ?? 0, removed_to: head?.removed_to ?? 0 };
}

/**
 * The first changes behind a number, up to the end of the feed that the caller has read: all up to there are committed, so that what is read
 * engine by engine leaves none out.
 * @param takes which changes are asked for
 * @returns the changes, and the last number that was looked at
 */
export async function changesBehind(
  tenant: TenantDatabase,
  engines: readonly string[],
  { after, end, limit }: { after: number; end: number; limit: number },
  takes: (entry: FeedEntry) => boolean,
): Promise<{ changes: FedChange[]; last: number }> {
  const pause = createTimeSlice();
  const changes: FedChange[] = [];
  let last = after;
  for (let read = 0; read < MOST_ROWS && engines.length > 0; read += ROWS) {
    const condition = { engine: { $in: engines }, seq: { $gt: last, $lte: end } };
    const rows = await tenant
      .engines(engines)
      .collection(findingFeed)
      .find(condition, { sort: { seq: 1 }, limit: ROWS });
    for (const row of rows) {
      for (const change of numbered(row)) {
        if (change.seq <= last) continue;
        if (changes.length === limit) return { changes, last };
        last = change.seq;
        if (takes(change)) changes.push(change);
      }
      await pause();
    }
    if (rows.length < ROWS) return { changes, last: end };
  }
  return { changes, last: engines.length === 0 ? end : last };
}

const numbered = ({ seq, at, engine, entries }: FindingFeedRow): FedChange[] =>
  entries.map((entry, index) => ({ ...entry, seq: seq - entries.length + 1 + index, at, engine }));
