import { isInterfaceType, isObjectType, parse, printSchema, type GraphQLSchema } from 'graphql';
import { readFederation } from '../gateway/graph/federation.js';
import { readRequirements, viewSegmentsOf } from '../gateway/graph/requirements.js';
import type { Graph } from '../gateway/graph/types.js';
import { GRAPHQL_LIMITS } from '../gateway/graphql-limits.js';
import { API_PREFIX } from '../http/envelope.js';
import type { Engine } from '../kit/engine/engine.js';
import type { ExplorerGraph } from '../schema/explorer.js';
import type { RestApi } from './api.js';

function isShown(schema: GraphQLSchema, coordinate: string): boolean {
  const [typeName = '', field = ''] = coordinate.split('.');
  const type = schema.getType(typeName);
  return (isObjectType(type) || isInterfaceType(type)) && field in type.getFields();
}

/** Gathers what the composed graph and the route table say. It takes a tenth of a second, so it is done once, for the first who asks. */
export function explorerGraphOf(
  { supergraphSdl, apiSchema }: Pick<Graph, 'supergraphSdl' | 'apiSchema'>,
  rest: Pick<RestApi, 'endpoints'>,
  engines: readonly Engine[],
): ExplorerGraph {
  const supergraph = parse(supergraphSdl, { noLocation: true });
  const requirements = [...readRequirements(supergraph)].filter(
    ([coordinate, needed]) => needed.length > 0 && isShown(apiSchema, coordinate),
  );
  const routes = rest.endpoints.map(({ route }) => {
    const root = route.kind === 'query' ? apiSchema.getQueryType() : apiSchema.getMutationType();
    return [`${root?.name}.${route.field}`, `${route.method} ${API_PREFIX.slice(0, -1)}${route.path}`] as const;
  });
  return {
    ...readFederation(supergraph, apiSchema),
    sdl: printSchema(apiSchema),
    requirements: Object.fromEntries(requirements),
    routes: Object.fromEntries(routes),
    readers: Object.fromEntries(viewSegmentsOf(engines)),
    allowance: GRAPHQL_LIMITS.cost,
  };
}
