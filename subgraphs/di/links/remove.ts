import type { TenantDatabase } from '../../../kit/store/database.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { assets, edges, type AssetRow } from '../records.js';

/**
 * Removes the edges of resources that go, but for those that reports have told, and makes due what refers to them: a name may mean one resource
 * now where it meant several.
 */
export async function removeLinks(
  tenant: TenantDatabase,
  going: readonly Pick<AssetRow, 'resource_uid' | 'known_as' | 'former_names'>[],
  transaction: TransactionOf,
): Promise<void> {
  const rows = tenant.collection(edges);
  const uids = going.map(({ resource_uid }) => resource_uid);
  await rows.remove({ owner: { $in: uids } }, { transaction });
  for (const end of ['from', 'to'] as const) await rows.remove({ [end]: { $in: uids }, last_seen_at: { $exists: false } }, { transaction });
  const names = going.flatMap(({ known_as = [], former_names = [] }) => [...known_as, ...former_names]);
  if (names.length === 0) return;
  const referring = { wants: { $in: names }, links_due: { $exists: false } };
  await tenant.collection(assets).updateMany(referring, { $set: { links_due: 'own' } }, { transaction });
}
