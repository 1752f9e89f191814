import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { dashboardOverview } from './overview.js';

/** How the estate stands in a few numbers. */
export const dashboardPart: EnginePart = {
  prefixes: ['dashboard'],
  typeDefs: readSchema(import.meta.url),
  resolvers: { Query: { dashboard: (_, _args, context) => dashboardOverview(context) } },
  routes: [{ method: 'GET', path: '/dashboard', field: 'dashboard', tag: 'dashboard' }],
};
