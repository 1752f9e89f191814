import { BoundedCache } from '../../../kit/base/bounded-cache.js';
import { auditLog } from '../../../kit/audit/audit.js';
import { firstSeq } from '../../../kit/audit/entries.js';
import type { TenantDatabase } from '../../../kit/store/database.js';

/** The numbers of the first and the last entry that a log keeps. */
export interface LogEnds {
  readonly first: number;
  readonly last: number;
}

/** How many rows and entries there are; fewer rows where some are shared. */
export interface LogCount {
  readonly rows: number;
  readonly entries: number;
}

/** How many rows and entries up to one of them match a condition. */
interface Counted extends LogCount {
  readonly seq: number;
}

/** Counts kept at once in this process; those that were not asked for longest go first. */
const MOST = 1_000;

/** Counts of entries. They never change and are added at the end alone, so each count goes on from the one before. */
export class KeptTotals {
  private readonly kept = new BoundedCache<Counted>(MOST);

  /**
   * The exact number of rows and entries up to `ends.last`. When the first entry is another one, because retention removed older ones, all are counted again.
   * @param key what is counted, of which tenant
   * @param between counts those whose number is above the first given and not above the second
   */
  async count(key: string, ends: LogEnds, between: (after: number, last: number) => Promise<LogCount>): Promise<LogCount> {
    const place = `${ends.first}|${key}`;
    const known = this.kept.get(place);
    // a call that began later may have counted further
    if (known && known.seq > ends.last) return difference(known, await between(ends.last, known.seq));
    const from = known ?? { seq: ends.first - 1, rows: 0, entries: 0 };
    const added = from.seq === ends.last ? { rows: 0, entries: 0 } : await between(from.seq, ends.last);
    const total = { rows: from.rows + added.rows, entries: from.entries + added.entries };
    this.kept.set(place, { seq: ends.last, ...total });
    return total;
  }
}

const difference = (a: LogCount, b: LogCount): LogCount => ({ rows: a.rows - b.rows, entries: a.entries - b.entries });

/** The ends of a tenant's log; null where it has no entry. */
export async function endsOfLog(tenant: TenantDatabase): Promise<LogEnds | null> {
  const rows = tenant.collection(auditLog);
  const end = (seq: 1 | -1) => rows.findOne({}, { sort: { seq }, fields: ['seq', 'first_seq'] });
  const [first, last] = await Promise.all([end(1), end(-1)]);
  return first && last && { first: firstSeq(first), last: last.seq };
}
