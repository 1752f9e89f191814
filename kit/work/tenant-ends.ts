import { defineCollection, type RowOf } from '../store/collection.js';
import { date, flag, object, text } from '../store/fields.js';
import type { Database } from '../store/database.js';

/** A tenant that was ended, until everything of it is removed; `_id` is the tenant id. A tenant without such a row lives. */
export const tenantEnds = defineCollection('tenant_ends', {
  organization_id: text,
  /** Who ended it. */
  ended_by: text,
  ended_at: date,
  /** From then on it cannot be taken back, and its rows are removed. */
  removal_at: date,
  /** Whether the removal has begun. */
  removing: flag,
  /** Rows removed so far, by collection. */
  removed: object<Record<string, number>>(),
});
export type TenantEndRow = RowOf<typeof tenantEnds>;

/**
 * The ids of tenants that were ended: work in the background leaves what is theirs alone. There are few of them, and the present ones are
 * read each time, so that a tenant that is taken back goes on at once.
 */
export async function endedTenants(database: Database): Promise<string[]> {
  return (await database.system(tenantEnds).find({}, { fields: ['tenant_id'] })).map(({ tenant_id }) => tenant_id);
}

/** Whether a tenant was ended. */
export async function isEnded(database: Database, tenantId: string): Promise<boolean> {
  return (await database.tenant(tenantId).collection(tenantEnds).count({})) > 0;
}
