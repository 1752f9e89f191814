import type { Database } from '../kit/store/database.js';
import { users } from './records.js';
import { ssoIdentities } from './providers/records.js';

const BATCH = 1_000;

/**
 * Tells accounts apart that were made before providers' accounts stood for themselves: one without a password that a provider has named
 * becomes that tenant's, so that its address is free for its owner; any other is a person's own. Who signs in through a provider today goes on doing
 * so: what the provider calls them is kept. It is done once for each account, by whatever process starts first, and may be repeated.
 */
export async function markEarlierAccounts(database: Database): Promise<void> {
  const rows = database.system(users);
  for (;;) {
    const batch = await rows.find({ sso_tenant_id: { $exists: false } }, { fields: ['password_hash'], limit: BATCH });
    if (batch.length === 0) return;
    const named = await database
      .system(ssoIdentities)
      .find({ user_id: { $in: batch.map(({ _id }) => _id) } }, { fields: ['user_id', 'tenant_id'], sort: { created_at: -1, _id: 1 } });
    // the oldest is written last
    const tenantOf = new Map(named.map(({ user_id, tenant_id }) => [user_id, tenant_id]));
    await rows.bulkUpdate(
      batch.map(({ _id, password_hash }) => {
        const tenant = tenantOf.get(_id);
        const isProviders = tenant !== undefined && password_hash === null;
        return {
          _id,
          update: { $set: { sso_tenant_id: isProviders ? tenant : null, ...(tenant !== undefined && { sso_basis: 'earlier' }) } },
        };
      }),
    );
  }
}
