import type { AssetProjection, InventoryAsset, ProjectionRow } from '../../../kit/engine/projection.js';
import type { TenantDatabase } from '../../../kit/store/database.js';
import type { FindOptions, TransactionOf } from '../../../kit/store/query.js';
import type { RowReader } from '../../../kit/store/row-reader.js';
import { weighedFacts } from '../facts/weigh.js';
import { assets, type AssetRow } from '../records.js';

/** How far a refresh has come: first it goes through the assets, then through the projection's rows; and the last one that is done. */
export interface Place {
  readonly through: 'assets' | 'rows';
  readonly resource_type: string;
  readonly resource_uid: string;
}
export const START: Place = { through: 'assets', resource_type: '', resource_uid: '' };

/** Assets, or rows, of one transaction. */
const BATCH = 50;
const OF_ASSET = [
  ...['resource_uid', 'resource_type', 'resource_name', 'provider', 'account_id', 'region', 'first_seen_at', 'last_seen_at'],
  ...['configuration', 'unknown_paths', 'sensitive_paths', 'planned', 'facts', 'source', 'observed_at'],
];

/**
 * Brings a projection in step with the next assets of a tenant, or removes the next of its rows that no asset of its types has; as an
 * import would. Imports that run meanwhile are not overwritten: both write the same rows, so that one of them begins again.
 * @returns where to go on; null at the end
 */
export async function refreshBatch(
  tenant: TenantDatabase,
  projection: AssetProjection,
  place: Place,
  at: Date,
  transaction: TransactionOf,
): Promise<Place | null> {
  return place.through === 'assets'
    ? writeRows(tenant, projection, place, at, transaction)
    : removeRows(tenant, projection, place, transaction);
}

async function writeRows(
  tenant: TenantDatabase,
  projection: AssetProjection,
  place: Place,
  at: Date,
  transaction: TransactionOf,
): Promise<Place> {
  const stored = tenant.collection(assets);
  const batch = await nextOf(stored, place, (type) => projection.types.has(type), { fields: OF_ASSET, transaction });
  if (batch.length === 0) return { ...START, through: 'rows' };
  const made = await projection.write(tenant, batch.map(inventoryAsset), transaction);
  // a row that was not there meets no write of an import that takes its asset away: the asset does
  if (made.length > 0) await stored.updateMany({ _id: { $in: made } }, { $set: { projected_at: at } }, { transaction });
  return placeOf('assets', batch);
}

async function removeRows(
  tenant: TenantDatabase,
  projection: AssetProjection,
  place: Place,
  transaction: TransactionOf,
): Promise<Place | null> {
  const batch = await nextOf<ProjectionRow>(tenant.collection(projection.rows), place, () => true, {
    fields: ['resource_uid', 'resource_type'],
    transaction,
  });
  if (batch.length === 0) return null;
  const ids = batch.map(({ _id }) => _id);
  const found = await tenant.collection(assets).find({ _id: { $in: ids } }, { fields: ['resource_type'], transaction });
  const covered = new Set(found.flatMap(({ _id, resource_type }) => (projection.types.has(resource_type) ? [_id] : [])));
  await projection.remove(
    tenant,
    ids.filter((id) => !covered.has(id)),
    transaction,
  );
  return placeOf('rows', batch);
}

/** What follows a place in the order of type and identifier; types that are not meant are passed over without a look at what has them. */
async function nextOf<T extends { resource_type: string }>(
  rows: RowReader<T>,
  { resource_type, resource_uid }: Place,
  isMeant: (type: string) => boolean,
  options: FindOptions,
): Promise<T[]> {
  let type: string | undefined = resource_type;
  let after = resource_uid;
  while (type !== undefined) {
    if (isMeant(type)) {
      const condition = { resource_type: type, resource_uid: { $gt: after } };
      const batch = await rows.find(condition, { ...options, sort: { resource_uid: 1 }, limit: BATCH });
      if (batch.length > 0) return batch;
    }
    const sort = { resource_type: 1, resource_uid: 1 } as const;
    const next: T | null = await rows.findOne({ resource_type: { $gt: type } }, { ...options, sort, fields: ['resource_type'] });
    [type, after] = [next?.resource_type, ''];
  }
  return [];
}

function placeOf(through: Place['through'], batch: readonly { resource_type: string; resource_uid: string }[]): Place {
  const { resource_type, resource_uid } = batch.at(-1)!;
  return { through, resource_type, resource_uid };
}

function inventoryAsset(row: AssetRow): InventoryAsset {
  const { _id, resource_uid, resource_type, resource_name, provider, account_id, region, first_seen_at, last_seen_at } = row;
  const { configuration, unknown_paths, sensitive_paths } = row;
  return {
    ...{ _id, resource_uid, resource_type, resource_name, provider, account_id, region, first_seen_at, last_seen_at },
    ...{ configuration, unknown_paths, sensitive_paths, planned: row.planned === true },
    ...weighedFacts(row.facts, row),
  };
}
