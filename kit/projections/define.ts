import { createHash } from 'node:crypto';
import type { EngineContext } from '../engine/context.js';
import type { EnginePart } from '../engine/engine.js';
import type { AssetProjection, InventoryAsset } from '../engine/projection.js';
import type { Provider } from '../../schema/model.js';
import { defineCollection, type CollectionDefinition } from '../store/collection.js';
import { date, flag, nullable, number, text, textOf, type Field, type RowWith } from '../store/fields.js';
import { pageWindow, toPage, type PageArguments } from '../store/paging.js';
import type { ProjectionDefinition, ProjectionField } from './facet.js';
import { listCondition, listFilters } from './filters.js';
import { listOrder, sortNames } from './order.js';
import { projectionSchema } from './schema.js';

/** What every row of a projection has, beside its own fields; `_id` is that of the asset's row. */
const COMMON = {
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

/**
 * Makes a projection, a view of the inventory that an engine keeps: its collection with indexes, its type, list, filters and sorts in the
 * graph, its REST route, and what keeps it in step with the inventory. The engine names it among its parts.
 * @throws when a field has the name of one that every asset has
 */
export function defineProjection(definition: ProjectionDefinition): EnginePart {
  const { facet, field, path, tag } = definition;
  for (const name of Object.keys(facet.fields))
    if (Object.hasOwn(COMMON, name) || name.endsWith('_id')) throw new Error(`projection ${field}: ${name} is no name of an own field`);
  const rows = collectionOf(definition);
  const filters = listFilters(definition);
  return {
    prefixes: [path.split('/')[1]!],
    typeDefs: projectionSchema(definition, filters),
    resolvers: {
      Query: {
        [field]: async (_: unknown, args: PageArguments & { sort?: string | null }, context: EngineContext) => {
          const window = pageWindow(args);
          const sort = listOrder(facet.fields, args.sort);
          const condition = listCondition(filters, args as Readonly<Record<string, unknown>>);
          const own = context.collection(rows);
          const [items, total] = await Promise.all([
            own.find(condition, { sort, skip: window.skip, limit: window.limit }),
            own.count(condition),
          ]);
          return toPage(items, total, window);
        },
      },
    },
    routes: [{ method: 'GET', path, field, tag }],
    collections: [rows],
    projections: [projectionOf(definition, rows)],
  };
}

type ProjectionCollection = CollectionDefinition<RowWith<typeof COMMON> & { _id: string; tenant_id: string }>;

function collectionOf({ field, facet: { fields } }: ProjectionDefinition): ProjectionCollection {
  const indexed = (of: (one: ProjectionField) => boolean | undefined) => Object.keys(fields).filter((name) => of(fields[name]!));
  const keys = new Set(['account_id', 'resource_type', ...sortNames(fields), ...indexed(({ filter }) => filter)]);
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

function projectionOf({ field, facet }: ProjectionDefinition, rows: ProjectionCollection): AssetProjection {
  return {
    name: field,
    types: facet.types,
    version: facet.version,
    async write(tenant, assets, transaction) {
      const own = tenant.collection(rows);
      const ids = assets.map(({ _id }) => _id);
      const stored = await own.find({ _id: { $in: ids } }, { fields: ['digest'], transaction });
      const digests = new Map(stored.map(({ _id, digest }) => [_id, digest]));
      const updates = assets.map(({ configuration, unknown_paths, sensitive_paths, _id, ...common }) => {
        const asset = { ...common, _id, configuration, unknown_paths, sensitive_paths };
        const digest = digestOf(facet.version, asset);
        // what has not changed is not evaluated again
        const told = digests.get(_id) === digest ? {} : { ...facet.evaluate(asset), digest };
        return { _id, update: { $set: { ...common, ...told } }, upsert: true };
      });
      await own.bulkUpdate(updates, { transaction });
    },
    async remove(tenant, ids, transaction) {
      if (ids.length > 0) await tenant.collection(rows).remove({ _id: { $in: ids } }, { transaction });
    },
  };
}

function digestOf(version: string, { resource_type, configuration, unknown_paths, sensitive_paths }: InventoryAsset): string {
  const said = JSON.stringify([version, resource_type, configuration, unknown_paths, sensitive_paths]);
  return createHash('sha256').update(said).digest('base64url').slice(0, 22);
}
