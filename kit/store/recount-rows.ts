import type { AnyCollection, CollectionDefinition } from './collection.js';
import type { Migrating } from './migration.js';
import type { TransactionOf } from './query.js';

/** Rows counted in one transaction. */
const BATCH = 1_000;

/** What a recount goes by. */
export interface Recount<T extends object> {
  /** Read by `_id`, in its order. */
  readonly rows: CollectionDefinition<T>;
  readonly fields: readonly (keyof T & string)[];
  /** What counters have in common: rows are counted apart by these fields. */
  readonly apart: readonly (keyof T & string)[];
  /** Emptied before the first batch. */
  readonly counters: readonly AnyCollection[];
  /** Adds rows that are alike in `apart` to their counters. @param position rows up to this `_id` have been counted before */
  count(rows: readonly T[], transaction: TransactionOf, position: string): Promise<void>;
}

/**
 * Counts all rows of a collection anew in batches. How far it is, is noted with each batch, because neither the rows nor their counters show it:
 * begun again after a crash, it goes on from there.
 * @throws LeaseLost as `batch`
 */
export async function recountRows<T extends { _id: string }>(migrating: Migrating, recount: Recount<T>): Promise<void> {
  const { database, batch, notePosition } = migrating;
  let position = migrating.position;
  if (position === null) {
    position = '';
    await batch(async (transaction) => {
      for (const counters of recount.counters) await database.system(counters).remove({}, { transaction });
      await notePosition('', transaction);
    });
  }
  for (let from: string | null = position; from !== null;) {
    const after: string = from;
    from = await batch(async (transaction) => {
      const options = { sort: { _id: 1 }, limit: BATCH, fields: [...recount.apart, ...recount.fields], transaction } as const;
      const rows = await database.system(recount.rows).find({ _id: { $gt: after } }, options);
      const last = rows.at(-1);
      if (!last) return null;
      const groups = new Map<string, T[]>();
      for (const row of rows) {
        const key = JSON.stringify(recount.apart.map((field) => row[field]));
        const group = groups.get(key);
        if (group) group.push(row);
        else groups.set(key, [row]);
      }
      for (const group of groups.values()) await recount.count(group, transaction, after);
      await notePosition(last._id, transaction);
      return last._id;
    });
  }
}
