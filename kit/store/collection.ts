import { Schema, type SchemaDefinition } from 'mongoose';
import { storedForms, type Fields, type RowWith } from './fields.js';

/** One index: its key in order, and MongoDB's options. */
export interface IndexDefinition {
  key: Record<string, 1 | -1>;
  /** Serves workers, who look for what is due in all tenants. */
  acrossTenants?: true;
  options?: { unique?: boolean; expireAfterSeconds?: number; partialFilterExpression?: Record<string, unknown>; name?: string };
}

/** By what the rows of a collection are kept apart: a tenant, a tenant's engine, or nothing. */
export type CollectionScope = 'tenant' | 'engine' | 'system';

/** A collection of an engine: name, mongoose schema, indexes. `T` is the type of its rows. */
export interface CollectionDefinition<T extends object = Record<string, unknown>> {
  readonly name: string;
  readonly scope: CollectionScope;
  readonly schema: Schema;
  /** What a row has beside `_id` and the keys of its scope. */
  readonly fields: Fields;
  readonly indexes: readonly IndexDefinition[];
  /** Stays when its tenant is removed: the audit log alone. */
  readonly outlivesTenant?: true;
  /** Names of indexes of earlier releases, dropped at the start. */
  readonly formerIndexes?: readonly string[];
  /** Never read; carries the row type to `db.tenant(id).collection(definition)`. */
  readonly row?: T;
}

/** A collection of whatever rows: what lists of collections hold. Every definition is one, and every row has its `_id`. */
export type AnyCollection = CollectionDefinition<{ _id: string }>;

/** The type of the rows of a collection: `RowOf<typeof webhooks>`. */
export type RowOf<D extends AnyCollection> = NonNullable<D['row']>;

/** What every row has, and what the fields add to it, as one flat type. */
type Row<F extends Fields, Keys> = { [Name in keyof (Keys & RowWith<F>)]: (Keys & RowWith<F>)[Name] };

/**
 * Declares a collection whose rows belong to a tenant.
 * @param fields of a row; `_id`, a string, and `tenant_id` are added here
 * @throws when an index does not start with `tenant_id`: it would serve no tenant-bound query
 */
export function defineCollection<F extends Fields>(
  name: string,
  fields: F,
  indexes: readonly IndexDefinition[] = [],
): CollectionDefinition<Row<F, { _id: string; tenant_id: string }>> {
  for (const { key, options, acrossTenants } of indexes) {
    if (Object.keys(key)[0] !== 'tenant_id' && options?.expireAfterSeconds === undefined && !acrossTenants) {
      throw new Error(`collection ${name}: the index ${JSON.stringify(key)} must start with tenant_id`);
    }
  }
  return define('tenant', name, { tenant_id: String }, fields, indexes);
}

/** A collection whose rows belong to an engine of a tenant; reached with both, never with the tenant alone. */
export interface EngineCollectionDefinition<T extends object = Record<string, unknown>> extends CollectionDefinition<T> {
  readonly scope: 'engine';
}

/** Whether a collection is reached with an engine beside the tenant. */
export const isKeptByEngine = <T extends object>(definition: CollectionDefinition<T>): definition is EngineCollectionDefinition<T> =>
  definition.scope === 'engine';

/**
 * Declares a collection that all engines share, each with rows of its own. `tenant_id` and `engine` are added here.
 * @throws when an index does not start with `tenant_id, engine`
 */
export function defineEngineCollection<F extends Fields>(
  name: string,
  fields: F,
  indexes: readonly IndexDefinition[] = [],
): EngineCollectionDefinition<Row<F, { _id: string; tenant_id: string; engine: string }>> {
  for (const { key } of indexes) {
    if (Object.keys(key).slice(0, 2).join() !== 'tenant_id,engine')
      throw new Error(`collection ${name}: the index ${JSON.stringify(key)} must start with tenant_id, engine`);
  }
  const keys = { tenant_id: String, engine: String };
  return { ...define<Row<F, { _id: string; tenant_id: string; engine: string }>>('engine', name, keys, fields, indexes), scope: 'engine' };
}

/** Declares a collection that spans tenants (users, sessions, jobs): reached through `db.system` only. */
export function defineSystemCollection<F extends Fields>(
  name: string,
  fields: F,
  indexes: readonly IndexDefinition[] = [],
): CollectionDefinition<Row<F, { _id: string }>> {
  return define('system', name, {}, fields, indexes);
}

function define<T extends object>(
  scope: CollectionScope,
  name: string,
  keys: SchemaDefinition,
  fields: Fields,
  indexes: readonly IndexDefinition[],
): CollectionDefinition<T> {
  const schema = new Schema(
    { _id: String, ...keys, ...storedForms(fields) },
    {
      strict: 'throw',
      strictQuery: 'throw',
      versionKey: false,
      minimize: false,
      autoIndex: false,
      autoCreate: false,
      id: false,
      suppressReservedKeysWarning: true,
    },
  );
  return { name, scope, schema, fields, indexes };
}

/** A definition whose rows stay when their tenant is removed. */
export const outlivingTenant = <T extends object>(definition: CollectionDefinition<T>): CollectionDefinition<T> => ({
  ...definition,
  outlivesTenant: true,
});
