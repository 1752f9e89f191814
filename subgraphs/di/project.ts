import type { RunStart, SeenAsset } from '../../kit/engine/ingest-input.js';
import type { TransactionOf } from '../../kit/store/query.js';
import type { AssetProjection, InventoryAsset } from '../../kit/engine/projection.js';
import type { TenantDatabase } from '../../kit/store/database.js';
import { weighedFacts } from './facts/weigh.js';
import { isPlanned, observedAt } from './presence/outranked.js';
import { assetRowId, assets, type AssetRow } from './records.js';

type Projections = readonly AssetProjection[];

/**
 * Brings the engines' views of the inventory in step with a batch of it, in its transaction and before its rows are written: what the views
 * need of an asset beside the batch is what is stored now. Two reads a batch, however many assets and views there are.
 */
export async function projectAssets(
  projections: Projections,
  tenant: TenantDatabase,
  run: RunStart,
  seen: readonly SeenAsset[],
  transaction: TransactionOf,
): Promise<void> {
  const types = new Set(projections.flatMap((projection) => [...projection.types]));
  const now = new Map<string, SeenAsset>();
  for (const asset of seen) {
    const before = now.get(asset.resource_uid);
    // a finding that names an asset leaves what the inventory says of it alone
    now.set(asset.resource_uid, before && asset.configuration === null ? { ...before, ...identification(asset) } : asset);
  }
  const stored = await storedAssets(tenant, now, types, transaction);
  const lost = new Map<AssetProjection, string[]>();
  const changed = new Map<AssetProjection, InventoryAsset[]>();
  for (const [uid, asset] of now) {
    const before = stored.get(uid);
    const _id = before?._id ?? assetRowId(tenant.tenantId, uid);
    for (const projection of projections) {
      if (projection.types.has(asset.resource_type)) add(changed, projection, inventoryAsset(_id, asset, before, run));
      else if (before && projection.types.has(before.resource_type)) add(lost, projection, _id);
    }
  }
  for (const [projection, list] of changed) await projection.write(tenant, list, transaction);
  for (const [projection, ids] of lost) await projection.remove(tenant, ids, transaction);
}

const identification = ({ resource_type, resource_name, provider, account_id, region }: SeenAsset) => ({
  resource_type,
  resource_name,
  provider,
  account_id,
  region,
});

function add<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** What is stored of the assets that a view has or will have; the configuration only where the batch does not bring it. */
async function storedAssets(
  tenant: TenantDatabase,
  now: ReadonlyMap<string, SeenAsset>,
  types: ReadonlySet<string>,
  transaction: TransactionOf,
): Promise<ReadonlyMap<string, AssetRow>> {
  const rows = tenant.collection(assets);
  const [described, named, other]: [string[], string[], string[]] = [[], [], []];
  for (const [uid, { resource_type, configuration }] of now)
    (types.has(resource_type) ? (configuration === null ? named : described) : other).push(assetRowId(tenant.tenantId, uid));
  const light = ['resource_uid', 'resource_type', 'first_seen_at', 'planned', 'facts'];
  const found: AssetRow[] = [];
  // one after the other: a transaction has one session
  if (described.length > 0) found.push(...(await rows.find({ _id: { $in: described } }, { fields: light, transaction })));
  if (named.length > 0) {
    const fields = [...light, 'configuration', 'unknown_paths', 'sensitive_paths', 'source', 'observed_at'];
    found.push(...(await rows.find({ _id: { $in: named } }, { fields, transaction })));
  }
  if (other.length > 0)
    found.push(...(await rows.find({ _id: { $in: other }, resource_type: { $in: [...types] } }, { fields: light, transaction })));
  return new Map(found.map((row) => [row.resource_uid, row]));
}

function inventoryAsset(_id: string, asset: SeenAsset, before: AssetRow | undefined, run: RunStart): InventoryAsset {
  const { resource_uid, resource_type, resource_name = null, provider, account_id = null, region } = asset;
  const source = asset.configuration === null ? before : asset;
  const described = asset.configuration === null ? before : { ...asset, observed_at: observedAt(run) };
  return {
    ...{ _id, resource_uid, resource_type, resource_name, provider, account_id, region },
    configuration: source?.configuration ?? null,
    unknown_paths: source?.unknown_paths ?? [],
    sensitive_paths: source?.sensitive_paths ?? [],
    planned: asset.configuration === null ? before?.planned === true : isPlanned(asset),
    ...weighedFacts(asset.told ?? before?.facts, described),
    first_seen_at: before?.first_seen_at ?? run.at,
    last_seen_at: run.at,
  };
}
