import { randomUUID } from 'node:crypto';
import { defineCollection, type RowOf } from '../store/collection.js';
import { date, number } from '../store/fields.js';
import type { Database } from '../store/database.js';
import type { TransactionOf } from '../store/query.js';
import { wakeupPerDatabase } from './wakeup.js';

/** A range of a tenant's audit entries that nobody has been told of yet. `_id` is random: where entries were cut off an audit log, their numbers come again. */
export const outbox = defineCollection(
  'outbox',
  {
    first_seq: number,
    last_seq: number,
    created_at: date,
  },
  [{ key: { tenant_id: 1, first_seq: 1 } }],
);
export type OutboxRow = RowOf<typeof outbox>;

/** Where the dispatcher waits for rows of its own process. */
export const outboxWakeup = wakeupPerDatabase();

/** Notes within `transaction` that the entries of a range were written, so that an action and the news of it exist together or not at all. */
export async function addToOutbox(database: Database, transaction: TransactionOf, row: Omit<OutboxRow, '_id'>): Promise<void> {
  await database
    .tenant(row.tenant_id)
    .collection(outbox)
    .insert({ _id: randomUUID(), ...row }, { transaction });
  outboxWakeup(database).wakeAfter(transaction);
}
