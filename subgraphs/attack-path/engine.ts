import { defineFindingEngine } from '../../kit/findings/engine.js';
import { readSchema } from '../../kit/engine/read-schema.js';
import type { PageArguments } from '../../kit/store/paging.js';
import { listChokePoints } from './choke-points.js';
import { derivePaths } from './derive.js';
import { pathDetail } from './detail.js';
import { evidence } from './evidence.js';
import { figuresPart } from './figures/part.js';
import { listPaths, type PathFilter } from './list.js';
import { pathBatch } from './paths-model.js';
import { attackPaths, pathSearches } from './records.js';

const SUBCATEGORIES = {
  path: { code: 'path', label: 'Paths' },
} as const;

export const engine = defineFindingEngine({
  name: 'attack-path',
  label: 'Attack paths',
  description: 'Paths through the inventory by which an attacker gets to what matters.',
  prefixes: ['attack-paths'],
  parts: [figuresPart],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: {
      attack_paths: (_, args: PathFilter & PageArguments, context) => listPaths(context, args),
      attack_path: (_, args: { id: string }, context) => pathDetail(context, args.id),
      attack_path_choke_points: (_, args: PageArguments, context) => listChokePoints(context, args),
      attack_paths_model: (_, args: { after?: string | null; limit: number }, context) => pathBatch(context, args),
    },
  },
  routes: [
    { method: 'GET', path: '/attack-paths', field: 'attack_paths', tag: 'attack-paths' },
    { method: 'GET', path: '/attack-paths/choke-points', field: 'attack_path_choke_points', tag: 'attack-paths' },
    { method: 'GET', path: '/attack-paths/{id}', field: 'attack_path', tag: 'attack-paths' },
  ],
  collections: [attackPaths, pathSearches],
  // reports of findings alone open and close paths, too; after the daily derivations it is called as well
  ingest: { conclude: derivePaths },
  findings: {
    viewSegment: 'attack-path',
    permission: 'threat:read',
    evidence,
    ruleType: 'threat',
    module: { code: 'attack_path', label: 'Attack paths' },
    subcategory: () => SUBCATEGORIES.path,
    extensions: ({ evidence: { entry, target, hops } }) => ({ path: { entry: entry ?? null, target: target ?? null, hops: hops ?? [] } }),
  },
});
