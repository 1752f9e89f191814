import type { AnyCollection, CollectionDefinition } from './collection.js';
import type { Migrating } from './migration.js';
import type { TransactionOf } from './query.js';

/** Rows of one transaction. */
const BATCH = 1_000;

/** What is done with the rows of a collection. */
export interface RowWalk<T extends object> {
  /** Read by `_id`, in its order. */
  readonly rows: CollectionDefinition<T>;
  readonly fields: readonly (keyof T & string)[];
  /** Rows are handed over apart by these fields. */
  readonly apart: readonly (keyof T & string)[];
  /** What is made anew of the rows: emptied before the first batch. */
  readonly emptied: readonly AnyCollection[];
  /** Takes rows that are alike in `apart`. @param position rows up to this `_id` were taken in batches before */
  each(rows: readonly T[], transaction: TransactionOf, position: string): Promise<void>;
}

/**
 * Takes every row of a collection once, in batches. How far it is, is noted with each batch, because the rows do not show it: begun again after a
 * crash, it goes on from there.
 * @throws LeaseLost as `batch`
 */
export async function walkRows<T extends { _id: string }>(migrating: Migrating, walk: RowWalk<T>): Promise<void> {
  const { database, batch, notePosition } = migrating;
  let position = migrating.position;
  if (position === null) {
    position = '';
    await batch(async (transaction) => {
      for (const rows of walk.emptied) await database.system(rows).remove({}, { transaction });
      await notePosition('', transaction);
    });
  }
  for (let from: string | null = position; from !== null;) {
    const after: string = from;
    from = await batch(async (transaction) => {
      const options = { sort: { _id: 1 }, limit: BATCH, fields: [...walk.apart, ...walk.fields], transaction } as const;
      const rows = await database.system(walk.rows).find({ _id: { $gt: after } }, options);
      const last = rows.at(-1);
      if (!last) return null;
      const groups = new Map<string, T[]>();
      for (const row of rows) {
        const key = JSON.stringify(walk.apart.map((field) => row[field]));
        const group = groups.get(key);
        if (group) group.push(row);
        else groups.set(key, [row]);
      }
      for (const group of groups.values()) await walk.each(group, transaction, after);
      await notePosition(last._id, transaction);
      return last._id;
    });
  }
}
