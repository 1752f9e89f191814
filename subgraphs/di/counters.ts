import { randomUUID } from 'node:crypto';
import { defineCollection, type RowOf } from '../../kit/store/collection.js';
import { repeatOnDuplicate, type TenantDatabase } from '../../kit/store/database.js';
import { nullable, number, optional, text, textOf } from '../../kit/store/fields.js';
import type { BulkUpdate, TransactionOf } from '../../kit/store/query.js';
import type { AssetRow } from './records.js';
import { digestOf } from '../../kit/store/row-id.js';

/** Columns of assets each of whose values is counted. */
export const COUNTED_COLUMNS = ['provider', 'resource_type', 'region', 'account_id', 'scan_run_id'] as const;
export type CountedColumn = (typeof COUNTED_COLUMNS)[number];
export type CountedAsset = Pick<AssetRow, CountedColumn | 'planned'>;
/** What a row counts: all assets, those that are planned, or those that have its value in a column. */
type Counted = CountedColumn | 'all' | 'planned';

/** How many assets a tenant has, in all, planned, and by each value of a column; changed in the transaction that changes the assets. */
export const assetCounters = defineCollection(
  'asset_counters',
  {
    by: textOf<Counted>(),
    value: nullable(text),
    count: number,
    /** Of the row of all: another one after each change of any asset. */
    version: optional(text),
  },
  [{ key: { tenant_id: 1, by: 1 } }],
);
type AssetCounterRow = RowOf<typeof assetCounters>;

const rowId = ({ tenantId }: TenantDatabase, by: Counted, value: string | null): string => `${tenantId}|${by}|${digestOf(value)}`;

/** Changes of counters, gathered over a batch and written in its transaction. */
export class AssetCounterChanges {
  private readonly changes = new Map<string, { by: Counted; value: string | null; step: number }>();

  constructor(private readonly tenant: TenantDatabase) {}

  /** Takes note of an asset that comes (`before` null), changes, or goes (`after` null). */
  move(before: CountedAsset | null, after: CountedAsset | null): void {
    this.count('all', null, Number(after !== null) - Number(before !== null));
    if (before) this.countOne(before, -1);
    if (after) this.countOne(after, 1);
  }

  /** A row that counts nothing any more goes, but for that of all. */
  async write(transaction: TransactionOf): Promise<void> {
    const changed = [...this.changes].filter(([, { by, step }]) => step !== 0 || by === 'all');
    if (changed.length === 0) return;
    const rows = this.tenant.collection(assetCounters);
    const stored = await rows.find({ _id: { $in: changed.map(([_id]) => _id) } }, { fields: ['count'], transaction });
    const known = new Map(stored.map(({ _id, count }) => [_id, count]));
    const made: AssetCounterRow[] = [];
    const updates: BulkUpdate[] = [];
    const gone: string[] = [];
    for (const [_id, { by, value, step }] of changed) {
      const before = known.get(_id);
      const after = { count: (before ?? 0) + step, ...(by === 'all' && { version: randomUUID() }) };
      if (before === undefined) made.push({ _id, tenant_id: this.tenant.tenantId, by, value, ...after });
      else if (after.count === 0 && by !== 'all') gone.push(_id);
      else updates.push({ _id, update: { $set: after } });
    }
    await rows.insertMany(made, { transaction }).catch(repeatOnDuplicate);
    await rows.bulkUpdate(updates, { transaction });
    if (gone.length > 0) await rows.remove({ _id: { $in: gone } }, { transaction });
  }

  private countOne(asset: CountedAsset, step: 1 | -1): void {
    if (asset.planned) this.count('planned', null, step);
    for (const column of COUNTED_COLUMNS) this.count(column, asset[column], step);
  }

  private count(by: Counted, value: string | null, step: number): void {
    const _id = rowId(this.tenant, by, value);
    const known = this.changes.get(_id);
    if (known) known.step += step;
    else this.changes.set(_id, { by, value, step });
  }
}

/** How many assets the tenant has, and the version of all of them; null for a tenant that never had one. */
export async function countAssets(tenant: TenantDatabase, transaction?: TransactionOf): Promise<{ count: number; version: string } | null> {
  const row = await tenant.collection(assetCounters).findOne({ _id: rowId(tenant, 'all', null) }, transaction && { transaction });
  return row && { count: row.count, version: row.version! };
}

/** How many assets a plan alone tells of. */
export async function countPlanned(tenant: TenantDatabase): Promise<number> {
  return (await tenant.collection(assetCounters).findOne({ _id: rowId(tenant, 'planned', null) }, { fields: ['count'] }))?.count ?? 0;
}

/** How many assets have one of these values in a column. */
export async function countAssetsBy(tenant: TenantDatabase, column: CountedColumn, values: readonly string[]): Promise<number> {
  const ids = new Set(values.map((value) => rowId(tenant, column, value)));
  const rows = await tenant.collection(assetCounters).find({ _id: { $in: [...ids] } }, { fields: ['count'] });
  return rows.reduce((sum, { count }) => sum + count, 0);
}

/** The values that assets have in a column. */
export async function countedValues(tenant: TenantDatabase, column: CountedColumn): Promise<ReadonlySet<string | null>> {
  const rows = await tenant.collection(assetCounters).find({ by: column, count: { $gt: 0 } }, { fields: ['value'] });
  return new Set(rows.map(({ value }) => value));
}

/** How many assets have a value in a column, or are planned (`planned`), or are there at all (`all`). */
export interface AssetValueCount {
  readonly by: Counted;
  readonly value: string | null;
  readonly count: number;
}
const SUMMARIZED: readonly Counted[] = ['provider', 'resource_type', 'region', 'account_id', 'all', 'planned'];

/** What a summary of the tenant's assets is made of. */
export async function countsOf(tenant: TenantDatabase, transaction?: TransactionOf): Promise<AssetValueCount[]> {
  const options = { fields: ['by', 'value', 'count'], ...(transaction && { transaction }) };
  const rows = await tenant.collection(assetCounters).find({ by: { $in: SUMMARIZED } }, options);
  return rows.map(({ by, value, count }) => ({ by, value, count }));
}
