import { createHash } from 'node:crypto';
import type { Provider } from '../../schema/model.js';
import { createTimeSlice } from '../base/time-slice.js';
import type { AssetProjection, InventoryAsset } from '../engine/projection.js';
import { defineCollection, type CollectionDefinition } from '../store/collection.js';
import type { TenantDatabase } from '../store/database.js';
import { date, flag, nullable, number, text, textOf, type Field, type RowWith } from '../store/fields.js';
import type { BulkUpdate, TransactionOf } from '../store/query.js';
import type { ProjectionDefinition, ProjectionField } from './facet.js';
import { sortNames } from './order.js';

/** What every row of a projection has, beside its own fields; `_id` is that of the asset's row. */
export const COMMON = {
  resource_uid: text,
  resource_type: text,
  resource_name: nullable(text),
  provider: textOf<Provider>(),
  account_id: nullable(text),
  region: text,
  first_seen_at: date,
  last_seen_at: date,
  /** Of what the fields were evaluated from. */
  digest: text,
};
const COLUMNS = { text, enum: text, boolean: flag, integer: number, moment: date } as const;

type ProjectionCollection = CollectionDefinition<RowWith<typeof COMMON> & { _id: string; tenant_id: string }>;

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
    this.version = facet.version;
    this.rows = collectionOf(definition);
  }

  async write(tenant: TenantDatabase, assets: readonly InventoryAsset[], transaction: TransactionOf): Promise<string[]> {
    const { facet } = this.definition;
    const own = tenant.collection(this.rows);
    const ids = assets.map(({ _id }) => _id);
    const stored = await own.find({ _id: { $in: ids } }, { fields: ['digest'], transaction });
    const digests = new Map(stored.map(({ _id, digest }) => [_id, digest]));
    const updates: BulkUpdate[] = [];
    const pause = createTimeSlice();
    for (const asset of assets) {
      const { configuration: _, unknown_paths: _u, sensitive_paths: _s, _id, ...common } = asset;
      const digest = digestOf(this.version, asset);
      // what has not changed is not evaluated again
      const told = digests.get(_id) === digest ? {} : { ...facet.evaluate(asset), digest };
      updates.push({ _id, update: { $set: { ...common, ...told } }, upsert: true });
      await pause();
    }
    await own.bulkUpdate(updates, { transaction });
    return ids.filter((id) => !digests.has(id));
  }

  async remove(tenant: TenantDatabase, ids: readonly string[], transaction: TransactionOf): Promise<void> {
    if (ids.length > 0) await tenant.collection(this.rows).remove({ _id: { $in: ids } }, { transaction });
  }
}

function collectionOf({ field, facet: { fields } }: ProjectionDefinition): ProjectionCollection {
  const indexed = (of: (one: ProjectionField) => boolean | undefined) => Object.keys(fields).filter((name) => of(fields[name]!));
  const keys = new Set(['provider', 'account_id', 'region', 'resource_type', ...sortNames(fields), ...indexed(({ filter }) => filter)]);
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

function digestOf(version: string, { resource_type, configuration, unknown_paths, sensitive_paths }: InventoryAsset): string {
  const said = JSON.stringify([version, resource_type, configuration, unknown_paths, sensitive_paths]);
  return createHash('sha256').update(said).digest('base64url').slice(0, 22);
}
