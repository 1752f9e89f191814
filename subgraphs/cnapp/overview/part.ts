import type { EnginePart } from '../../../kit/engine/engine.js';
import { derivations } from '../../../kit/engine/kept-rows.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { cnappOverview, type OverviewArguments } from './overview.js';
import { cnappGroups } from './records.js';

/** The whole estate in one view: GET /cnapp/overview. */
export const overviewPart: EnginePart = {
  prefixes: ['cnapp'],
  typeDefs: readSchema(import.meta.url),
  resolvers: { Query: { cnapp_overview: (_, args: OverviewArguments, context) => cnappOverview(context, args) } },
  routes: [{ method: 'GET', path: '/cnapp/overview', field: 'cnapp_overview', tag: 'cnapp' }],
  collections: [cnappGroups, derivations],
};
