import type { Clock } from '../base/clock.js';
import type { AnyCollection } from '../store/collection.js';
import type { Database } from '../store/database.js';
import type { Filter } from '../store/query.js';
import { watchFor } from './store-watch.js';

/** Milliseconds by which a time must lie beyond what is right: processes know the store's time to within a round trip. */
const MARGIN = 3_000;
/** Rows that are looked at in one go. */
const MOST = 200;
const EPOCH = new Date(0);

/** The rows of one collection that workers take. */
export interface Strandable {
  readonly collection: AnyCollection;
  readonly where?: Filter | undefined;
  readonly leaseMs: number;
  /** How far ahead a row that nobody has is due at most, in milliseconds; no bound when absent. */
  readonly farthestMs?: number | undefined;
}

const FIELDS = ['_id', 'due_at', 'leased_by', 'leased_until', 'lease_no'] as const;
/** A row as far as it is looked at. */
interface LeasedRow {
  _id: string;
  due_at: Date;
  leased_by: string | null;
  leased_until: Date | null;
  lease_no: number;
}

/**
 * Frees rows that are left to a time which is gone: a process counted by the store's clock, that was set back by an hour, and the process was killed before it had
 * compared its own. A lease that ends later than any can that begins now is such a one, or that of a process which is about to compare; that one gives signs of life,
 * which change the row. So a lease is ended when it has stood unchanged, by the steady clock of this process, for as long as leases last.
 * @param steady milliseconds of a clock that nobody sets
 * @returns how to end it
 */
export function freeStranded(
  { database, storeClock }: { readonly database: Database; readonly storeClock: Clock },
  { collection, where = {}, leaseMs, farthestMs }: Strandable,
  failed: (error: unknown) => void,
  steady: () => number = () => performance.now(),
): () => void {
  const rows = database.system<LeasedRow>(collection as never);
  let seen = new Map<string, { readonly lease: string; readonly since: number }>();

  const ahead = (milliseconds: number) => ({ $gt: new Date(storeClock.now().getTime() + milliseconds + MARGIN) });
  const condition = (): Filter => {
    const left: Filter[] = [{ leased_until: ahead(leaseMs) }];
    if (farthestMs !== undefined) left.push({ leased_until: null, due_at: ahead(farthestMs) });
    return { $and: [where, { due_at: { $gt: EPOCH } }, { $or: left }] };
  };
  const look = async (): Promise<void> => {
    const before = seen;
    seen = new Map();
    for (const { _id, due_at, leased_by, leased_until, lease_no } of await rows.find(condition(), { limit: MOST, fields: FIELDS })) {
      const now = storeClock.now();
      if (leased_until === null) await rows.update({ _id, due_at, leased_until }, { $set: { due_at: now } });
      else {
        const lease = `${lease_no} ${leased_until.getTime()}`;
        const known = before.get(_id);
        const since = known?.lease === lease ? known.since : steady();
        seen.set(_id, { lease, since });
        if (steady() - since < leaseMs + MARGIN) continue;
        const freed = { leased_by: null, leased_until: null, ...(due_at > now && { due_at: now }) };
        await rows.update({ _id, leased_by, leased_until, lease_no }, { $set: freed, $inc: { lease_no: 1 } });
      }
    }
  };
  let isLooking = false;
  return watchFor(database, {
    collection,
    condition,
    everyMs: leaseMs / 3,
    found: () => {
      if (isLooking) return;
      isLooking = true;
      void look()
        .catch(failed)
        .finally(() => (isLooking = false));
    },
    failed,
  });
}
