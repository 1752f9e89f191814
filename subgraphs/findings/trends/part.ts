import type { EnginePart } from '../../../kit/engine/engine.js';
import { dashboardTrends, type TrendArguments } from './read.js';
import { postureSnapshots } from './records.js';
import { typeDefs } from './schema.js';
import { snapshotTask } from './take.js';

/** How the estate stood, day by day. */
export const trendsPart: EnginePart = {
  prefixes: ['dashboard'],
  typeDefs,
  resolvers: { Query: { dashboard_trends: (_, args: TrendArguments, context) => dashboardTrends(context, args) } },
  routes: [{ method: 'GET', path: '/dashboard/trends', field: 'dashboard_trends', tag: 'dashboard' }],
  collections: [postureSnapshots],
  background: [snapshotTask],
};
