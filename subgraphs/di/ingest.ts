import type { AssetSink, SeenAsset } from '../../kit/engine/ingest.js';
import { assetRowId, assets, edgeRowId, edges } from './records.js';

/** Facts that only an inventory knows; a finding that names a resource leaves what an inventory said alone. */
function inventoryFacts(asset: SeenAsset) {
  if (asset.configuration === null)
    return { $setOnInsert: { configuration: null, tags: {}, sensitive_paths: [], unknown_paths: [], source: null, provider_metadata: {} } };
  const { configuration, tags = {}, sensitive_paths = [], unknown_paths = [], source = null, provider_metadata = {} } = asset;
  return { $set: { configuration, tags, sensitive_paths, unknown_paths, source, provider_metadata }, $setOnInsert: {} };
}

/** Upserts what a run saw: assets by resource_uid, edges by both ends and kind. */
export const ingestAssets: AssetSink = async (context, run, seen, seenEdges) => {
  const tenantId = context.auth.tenant_id;
  await context.collection(assets).bulkUpdate(
    seen.map((asset) => {
      const facts = inventoryFacts(asset);
      const { resource_uid, resource_type, provider, region } = asset;
      const stands = { resource_uid, resource_type, provider, region, scan_run_id: run.scan_run_id, last_seen_at: run.at };
      const named = { resource_name: asset.resource_name ?? null, account_id: asset.account_id ?? null };
      const update = { $set: { ...stands, ...named, ...facts.$set }, $setOnInsert: { first_seen_at: run.at, ...facts.$setOnInsert } };
      return { _id: assetRowId(tenantId, resource_uid), update, upsert: true };
    }),
  );
  await context.collection(edges).bulkUpdate(
    seenEdges.map(({ from, to, kind }) => ({
      _id: edgeRowId(tenantId, from, to, kind),
      update: { $set: { from, to, kind, scan_run_id: run.scan_run_id, last_seen_at: run.at } },
      upsert: true,
    })),
  );
};
