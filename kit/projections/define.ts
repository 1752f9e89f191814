import type { EngineContext } from '../engine/context.js';
import type { EnginePart } from '../engine/engine.js';
import { pageWindow, toPage, type PageArguments } from '../store/paging.js';
import type { ProjectionDefinition } from './facet.js';
import { listCondition, listFilters } from './filters.js';
import { listOrder } from './order.js';
import { computedFields, COMPUTED, ownFields } from './computed.js';
import { COMMON, Projection } from './rows.js';
import { projectionSchema } from './schema.js';

/**
 * Makes a projection, a view of the inventory that an engine keeps: its collection with indexes, its type, list, filters and sorts in the
 * graph, its REST route, and what keeps it in step with the inventory. The engine names it among its parts.
 * @throws when a field has the name of one that every asset has
 */
export function defineProjection(definition: ProjectionDefinition): EnginePart & { readonly projection: Projection } {
  const { facet, field, path, tag } = definition;
  for (const name of [facet.fields, facet.links ?? {}, definition.computed ?? {}].flatMap(Object.keys))
    if (Object.hasOwn(COMMON, name) || COMPUTED.includes(name) || name.endsWith('_id'))
      throw new Error(`projection ${field}: ${name} is no name of an own field`);
  const projection = new Projection(definition);
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
          const own = context.collection(projection.rows);
          const [items, total] = await Promise.all([
            own.find(condition, { sort, skip: window.skip, limit: window.limit }),
            own.count(condition),
          ]);
          return toPage(items, total, window);
        },
      },
      [definition.type]: { ...computedFields(facet.links ?? {}), ...ownFields(definition.computed ?? {}) },
    },
    routes: [{ method: 'GET', path, field, tag }],
    collections: [projection.rows],
    projections: [projection],
    projection,
  };
}
