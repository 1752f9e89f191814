import { createTimeSlice } from '../base/time-slice.js';
import type { AssetProjection, InventoryAsset } from '../engine/projection.js';
import { defineCollection, type CollectionDefinition } from '../store/collection.js';
import { repeatOnDuplicate, type TenantDatabase } from '../store/database.js';
import { date, flag, nullable, number, optional, text, type Field, type RowWith } from '../store/fields.js';
import type { BulkUpdate, TransactionOf } from '../store/query.js';
import type { ProjectionDefinition, ProjectionField } from './facet.js';
import { sortNames } from './order.js';
import { RESOURCE_FIELDS } from '../engine/resource-fields.js';
import { digestOf } from '../store/row-id.js';

/** What every row of a projection has, beside its own fields; `_id` is that of the asset's row. */
export const COMMON = {
  ...RESOURCE_FIELDS,
  first_seen_at: date,
  last_seen_at: date,
  /** A plan alone tells of the asset; absent else. */
  planned: optional(flag),
  /** Of what the row was made of: when it is the same, the row is. */
  digest: text,
};
/** Changes with what a row holds beside the fields of its projection. */
const FORM = 2;
const COLUMNS = { text, enum: text, boolean: flag, integer: number, moment: date } as const;

type Row = RowWith<typeof COMMON> & { _id: string; tenant_id: string };
type ProjectionCollection = CollectionDefinition<Row>;

/** The rows of a projection, and how they are made of assets. */
export class Projection implements AssetProjection {
  readonly name: string;
  readonly types: ReadonlySet<string>;
  readonly version: string;
  readonly rows: ProjectionCollection;

  constructor(readonly definition: ProjectionDefinition) {
    const { field, facet } = definition;
    this.name = field;
    this.types = facet.types;
    this.version = `${FORM}.${facet.version}`;
    this.rows = collectionOf(definition);
  }

  async write(tenant: TenantDatabase, assets: readonly InventoryAsset[], transaction: TransactionOf): Promise<string[]> {
    const own = tenant.collection(this.rows);
    const ids = assets.map(({ _id }) => _id);
    const found = await own.find({ _id: { $in: ids } }, { fields: ['digest', 'last_seen_at'], transaction });
    const stored = new Map(found.map((row) => [row._id, row]));
    const made: Row[] = [];
    const updates: BulkUpdate[] = [];
    const unchanged = new Map<number, string[]>();
    const pause = createTimeSlice();
    for (const asset of assets) {
      const digest = assetDigest(this.version, asset);
      const before = stored.get(asset._id);
      const seen = asset.last_seen_at.getTime();
      if (before === undefined) made.push({ _id: asset._id, tenant_id: tenant.tenantId, ...this.columnsOf(asset, digest) });
      else if (before.digest !== digest)
        updates.push({
          _id: asset._id,
          update: { $set: this.columnsOf(asset, digest), ...(!asset.planned && { $unset: { planned: '' } }) },
        });
      else if (before.last_seen_at.getTime() !== seen) unchanged.set(seen, [...(unchanged.get(seen) ?? []), asset._id]);
      await pause();
    }
    await own.insertMany(made, { transaction }).catch(repeatOnDuplicate);
    await own.bulkUpdate(updates, { transaction });
    for (const [seen, same] of unchanged)
      await own.updateMany({ _id: { $in: same } }, { $set: { last_seen_at: new Date(seen) } }, { transaction });
    return made.map(({ _id }) => _id);
  }

  async remove(tenant: TenantDatabase, ids: readonly string[], transaction: TransactionOf): Promise<void> {
    if (ids.length > 0) await tenant.collection(this.rows).remove({ _id: { $in: ids } }, { transaction });
  }

  private columnsOf(asset: InventoryAsset, digest: string): RowWith<typeof COMMON> {
    const { resource_uid, resource_type, resource_name, provider, account_id, region, first_seen_at, last_seen_at } = asset;
    const common = { resource_uid, resource_type, resource_name, provider, account_id, region, first_seen_at, last_seen_at };
    return { ...common, ...(asset.planned && { planned: true }), ...this.definition.facet.evaluate(asset), digest };
  }
}

function collectionOf({ field, facet: { fields } }: ProjectionDefinition): ProjectionCollection {
  const indexed = (of: (one: ProjectionField) => boolean | undefined) => Object.keys(fields).filter((name) => of(fields[name]!));
  const keys = new Set([
    'provider',
    'account_id',
    'region',
    'resource_type',
    'planned',
    ...sortNames(fields),
    ...indexed(({ filter }) => filter),
  ]);
  keys.delete('resource_uid');
  return defineCollection(
    field,
    {
      ...COMMON,
      ...Object.fromEntries(Object.entries(fields).map(([name, { type }]) => [name, nullable(COLUMNS[type] as Field<unknown>)])),
    },
    [
      { key: { tenant_id: 1, resource_uid: 1 } },
      ...[...keys].map((name) => ({ key: { tenant_id: 1, [name]: 1, resource_uid: 1 } as const })),
    ],
  );
}

/** Of what the row is made of, but for the time of the last run that saw the asset. */
function assetDigest(version: string, asset: InventoryAsset): string {
  const { resource_uid, resource_type, resource_name, provider, account_id, region, first_seen_at } = asset;
  const { configuration, unknown_paths, sensitive_paths } = asset;
  const common = [resource_uid, resource_type, resource_name, provider, account_id, region, first_seen_at, asset.planned];
  const told = asset.facts === undefined ? [] : [asset.facts];
  return digestOf([version, common, configuration, unknown_paths, sensitive_paths, ...told], 22);
}
