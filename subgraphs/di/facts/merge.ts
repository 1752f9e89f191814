import type { SeenAsset } from '../../../kit/engine/ingest-input.js';
import type { TenantDatabase } from '../../../kit/store/database.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { mergedFacts, type AssetFacts } from '../../../schema/facts.js';
import { assetRowId, assets } from '../records.js';

/** The assets of a batch with all that scanners have told of them, where the batch tells something: what is stored, and what the batch brings. */
export async function withStoredFacts(
  tenant: TenantDatabase,
  seen: readonly SeenAsset[],
  transaction: TransactionOf,
): Promise<readonly SeenAsset[]> {
  const all = new Map<string, AssetFacts>();
  for (const { resource_uid, told } of seen) if (told) all.set(resource_uid, mergedFacts(all.get(resource_uid) ?? {}, told));
  if (all.size === 0) return seen;
  const ids = [...all.keys()].map((uid) => assetRowId(tenant.tenantId, uid));
  const stored = await tenant.collection(assets).find({ _id: { $in: ids } }, { fields: ['resource_uid', 'facts'], transaction });
  for (const { resource_uid, facts } of stored) if (facts) all.set(resource_uid, mergedFacts(facts, all.get(resource_uid)!));
  return seen.map((asset) => {
    const told = all.get(asset.resource_uid);
    return told ? { ...asset, told } : asset;
  });
}
