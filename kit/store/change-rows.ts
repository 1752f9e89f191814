import type { CollectionDefinition } from './collection.js';
import type { Migrating } from './migration.js';
import type { Filter, Update } from './query.js';

/** Rows changed in one transaction. */
const BATCH = 500;

/**
 * Changes rows of the release before in batches, until none is left: begun again after a crash, it goes on with what is left.
 * @param old what rows match before the change and not after it
 * @param change the update of one row
 * @throws an Error when a changed row still matches `old`; LeaseLost as `batch`
 */
export async function changeRows<T extends { _id: string }>(
  { database, batch }: Migrating,
  collection: CollectionDefinition<T>,
  old: Filter,
  change: (row: T) => Update,
): Promise<void> {
  const rows = database.system(collection);
  let before: ReadonlySet<string> = new Set();
  do {
    const found = await batch(async (transaction) => {
      const some = await rows.find(old, { limit: BATCH, transaction });
      const again = some.find(({ _id }) => before.has(_id));
      if (again) throw new Error(`${collection.name}: the row ${again._id} was changed and is still to be changed`);
      await rows.bulkUpdate(
        some.map((row) => ({ _id: row._id, update: change(row) })),
        { transaction },
      );
      return some.map(({ _id }) => _id);
    });
    before = new Set(found);
  } while (before.size > 0);
}
