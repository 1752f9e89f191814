import { Schema, type SchemaDefinition } from 'mongoose';

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

/**
 * Declares a collection whose rows belong to a tenant.
 * @param definition fields for mongoose; `_id` is a string and `tenant_id` is added here
 * @throws when an index does not start with `tenant_id`: it would serve no tenant-bound query
 */
export function defineCollection<T extends object>(
  name: string,
  definition: SchemaDefinition,
  indexes: readonly IndexDefinition[] = [],
): CollectionDefinition<T> {
  for (const { key, options, acrossTenants } of indexes) {
    if (Object.keys(key)[0] !== 'tenant_id' && options?.expireAfterSeconds === undefined && !acrossTenants) {
      throw new Error(`collection ${name}: the index ${JSON.stringify(key)} must start with tenant_id`);
    }
  }
  return define('tenant', name, { tenant_id: { type: String, required: true }, ...definition }, indexes);
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
export function defineEngineCollection<T extends object>(
  name: string,
  definition: SchemaDefinition,
  indexes: readonly IndexDefinition[] = [],
): EngineCollectionDefinition<T> {
  for (const { key } of indexes) {
    if (Object.keys(key).slice(0, 2).join() !== 'tenant_id,engine')
      throw new Error(`collection ${name}: the index ${JSON.stringify(key)} must start with tenant_id, engine`);
  }
  const keys = { tenant_id: { type: String, required: true }, engine: { type: String, required: true } };
  return { ...define<T>('engine', name, { ...keys, ...definition }, indexes), scope: 'engine' };
}

/** Declares a collection that spans tenants (users, sessions, jobs): reached through `db.system` only. */
export function defineSystemCollection<T extends object>(
  name: string,
  definition: SchemaDefinition,
  indexes: readonly IndexDefinition[] = [],
): CollectionDefinition<T> {
  return define('system', name, definition, indexes);
}

function define<T extends object>(
  scope: CollectionScope,
  name: string,
  definition: SchemaDefinition,
  indexes: readonly IndexDefinition[],
): CollectionDefinition<T> {
  const schema = new Schema(
    { _id: { type: String, required: true }, ...definition },
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
  return { name, scope, schema, indexes };
}

/** A definition whose rows stay when their tenant is removed. */
export const outlivingTenant = <T extends object>(definition: CollectionDefinition<T>): CollectionDefinition<T> => ({
  ...definition,
  outlivesTenant: true,
});
