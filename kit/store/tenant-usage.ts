import { defineCollection } from './collection.js';
import { date, nullable, number } from './fields.js';
import type { TenantDatabase } from './database.js';
import type { TransactionOf } from './query.js';

/** How much a tenant uses of something that is not counted elsewhere; `_id` is `<tenant_id>|<what>`. */
export const tenantUsage = defineCollection(
  'tenant_usage',
  {
    count: number,
    /** When the count means nothing any more; null for what is stored. */
    expires_at: nullable(date),
  },
  [{ key: { expires_at: 1 }, options: { expireAfterSeconds: 0 } }],
);

/** Names of what is counted: events that are stored, and bytes of reports imported in a day (`usageOfDay`). */
export const STORED_EVENTS = 'events';
export const UPLOADS = 'uploads';

const DAY = 86_400_000;
const rowOf = (tenant: TenantDatabase, what: string) => `${tenant.tenantId}|${what}`;

/** The count of something; null where nothing was counted yet. */
export async function readUsage(tenant: TenantDatabase, what: string, transaction?: TransactionOf): Promise<number | null> {
  const row = await tenant.collection(tenantUsage).findOne({ _id: rowOf(tenant, what) }, { ...(transaction && { transaction }) });
  return row?.count ?? null;
}

/** Counts something within the transaction that changes it. @param by added; with `from`, to that instead of to what was counted */
export async function countUsage(
  tenant: TenantDatabase,
  what: string,
  by: number,
  { transaction, from, expires_at = null }: { transaction: TransactionOf; from?: number; expires_at?: Date | null },
): Promise<void> {
  const change = from === undefined ? { $inc: { count: by }, $setOnInsert: { expires_at } } : { $set: { count: from + by, expires_at } };
  await tenant.collection(tenantUsage).bulkUpdate([{ _id: rowOf(tenant, what), update: change, upsert: true }], { transaction });
}

/** What is counted of a day of UTC, and when that is over: the day after, so that a clock that is behind still finds it. */
export function usageOfDay(what: string, now: Date): { what: string; expires_at: Date } {
  const day = now.toISOString().slice(0, 10);
  return { what: `${what}|${day}`, expires_at: new Date(new Date(day).getTime() + 2 * DAY) };
}
