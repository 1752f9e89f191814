import { parse, printSchema } from 'graphql';
import { readFederation, type Federation } from '../gateway/graph/federation.js';
import { readRequirements, viewSegmentsOf, type Requirement } from '../gateway/graph/requirements.js';
import type { Graph } from '../gateway/graph/types.js';
import { GRAPHQL_LIMITS } from '../gateway/graphql-limits.js';
import { API_PREFIX } from '../http/envelope.js';
import type { Engine } from '../kit/engine/engine.js';
import type { Permission } from '../schema/permissions.js';
import type { RestApi } from './api.js';

/** All that the explorer knows of the graph before it asks anything of it. */
export interface ExplorerGraph extends Federation {
  /** The graph as clients see it. */
  readonly sdl: string;
  /** Field coordinate -> what its caller must hold; a field without any is not in it. */
  readonly requirements: Readonly<Record<string, readonly Requirement[]>>;
  /** Coordinate of a root field -> the REST endpoint that runs it. */
  readonly routes: Readonly<Record<string, string>>;
  /** What an argument `engine` may be -> the permission that reads that engine's findings. */
  readonly readers: Readonly<Record<string, Permission>>;
  /** Fields that one operation may answer with at most. */
  readonly allowance: number;
}

/** Gathers what the composed graph and the route table say. It takes a tenth of a second, so it is done once, for the first who asks. */
export function explorerGraphOf(
  { supergraphSdl, apiSchema }: Pick<Graph, 'supergraphSdl' | 'apiSchema'>,
  rest: Pick<RestApi, 'endpoints'>,
  engines: readonly Engine[],
): ExplorerGraph {
  const supergraph = parse(supergraphSdl, { noLocation: true });
  const federation = readFederation(supergraph, apiSchema);
  const requirements = [...readRequirements(supergraph)].filter(([coordinate, needed]) => {
    const [type = ''] = coordinate.split('.');
    return type in federation.types && needed.length > 0 && needed.every(({ kind }) => kind !== 'model');
  });
  const routes = rest.endpoints.map(({ route }) => {
    const root = route.kind === 'query' ? apiSchema.getQueryType() : apiSchema.getMutationType();
    return [`${root?.name}.${route.field}`, `${route.method} ${API_PREFIX.slice(0, -1)}${route.path}`] as const;
  });
  return {
    ...federation,
    sdl: printSchema(apiSchema),
    requirements: Object.fromEntries(requirements),
    routes: Object.fromEntries(routes),
    readers: Object.fromEntries(viewSegmentsOf(engines)),
    allowance: GRAPHQL_LIMITS.cost,
  };
}
