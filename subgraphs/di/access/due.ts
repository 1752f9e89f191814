import { accountsTouchedBy } from '../../../catalog/access/touched.js';
import type { TenantDatabase } from '../../../kit/store/database.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import type { Provider } from '../../../schema/model.js';
import type { AssetRow } from '../records.js';
import { accessDue } from './records.js';

/** What tells which edges of access an asset has a part in. */
export type Touching = Pick<AssetRow, 'resource_uid' | 'resource_type' | 'provider' | 'account_id'> & {
  configuration: AssetRow['configuration'];
};

/** Notes in the transaction that changes assets that the edges of access of their accounts are to be derived again. */
export async function markAccessDue(tenant: TenantDatabase, changed: Iterable<Touching>, transaction: TransactionOf): Promise<void> {
  const due = new Map<string, { provider: Provider; account: string | null }>();
  for (const { configuration, account_id, ...asset } of changed) {
    if (configuration === null) continue;
    const { provider } = asset;
    const touched = accountsTouchedBy({ ...asset, configuration, account_id: account_id ?? undefined });
    for (const account of touched ?? [null]) due.set(`${tenant.tenantId}|${provider}|${account ?? ''}`, { provider, account });
  }
  if (due.size === 0) return;
  await tenant.collection(accessDue).bulkUpdate(
    [...due].map(([_id, row]) => ({ _id, update: { $set: row, $inc: { no: 1 } }, upsert: true })),
    { transaction },
  );
}
