import type { EnginePart } from '../../../kit/engine/engine.js';
import { detectionHeatmap, type HeatmapArguments } from './read.js';
import { typeDefs } from './schema.js';

/** When which kind of detection was made. */
export const heatmap: EnginePart = {
  prefixes: ['cdr'],
  typeDefs,
  resolvers: { Query: { cdr_heatmap: (_, args: HeatmapArguments, context) => detectionHeatmap(context, args) } },
  routes: [{ method: 'GET', path: '/cdr/heatmap', field: 'cdr_heatmap', tag: 'cdr' }],
};
