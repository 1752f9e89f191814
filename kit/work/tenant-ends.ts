import { defineCollection } from '../store/collection.js';
import type { Database } from '../store/database.js';

/** A tenant that was ended, until everything of it is removed; `_id` is the tenant id. A tenant without such a row lives. */
export interface TenantEndRow {
  _id: string;
  tenant_id: string;
  organization_id: string;
  /** Who ended it. */
  ended_by: string;
  ended_at: Date;
  /** From then on it cannot be taken back, and its rows are removed. */
  removal_at: Date;
  /** Whether the removal has begun. */
  removing: boolean;
  /** Rows removed so far, by collection. */
  removed: Record<string, number>;
}

export const tenantEnds = defineCollection<TenantEndRow>('tenant_ends', {
  organization_id: String,
  ended_by: String,
  ended_at: Date,
  removal_at: Date,
  removing: Boolean,
  removed: Object,
});

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
