import { composeServices } from '@apollo/composition';
import { Supergraph } from '@apollo/federation-internals';
import { isScalarType, parse, type GraphQLSchema } from 'graphql';
import type { Engine } from '../../subgraphs/_kit/engine.js';
import { engineDocument, SCALARS } from '../../subgraphs/_kit/engine-schema.js';
import { readRequirements, type RequirementTable } from './requirements.js';

/** A composition hint that would let one engine's `@permission` silently win over another's. */
const CONFLICT = 'INCONSISTENT_NON_REPEATABLE_DIRECTIVE_ARGUMENTS';

/** The listed engines as one graph. */
export interface ComposedGraph {
  readonly sdl: string;
  readonly supergraph: Supergraph;
  readonly apiSchema: GraphQLSchema;
  readonly requirements: RequirementTable;
}

/** The API schema knows DateTime and JSON by name only: with their rules, a bad literal or variable is refused before any engine runs. */
function withScalars(schema: GraphQLSchema): GraphQLSchema {
  for (const [name, { parseValue, parseLiteral }] of Object.entries(SCALARS)) {
    const type = schema.getType(name);
    if (isScalarType(type)) Object.assign(type, { parseValue, parseLiteral });
  }
  return schema;
}

function assertGuarded(schema: GraphQLSchema, requirements: RequirementTable): void {
  const bare = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    type ? Object.keys(type.getFields()).map((field) => `${type.name}.${field}`) : [],
  );
  const missing = bare.filter((coordinate) => !requirements.has(coordinate));
  if (missing.length) throw new Error(`The graph does not compose: no @permission on ${missing.join(', ')}`);
}

/**
 * Composes the engines (Apollo Federation 2).
 * @throws an Error that names engine and field: what does not compose, engines that disagree on a `@permission`, a root field without one
 */
export function composeEngines(engines: readonly Engine[]): ComposedGraph {
  const composed = composeServices(
    engines.map((engine) => ({ name: engine.name, typeDefs: engineDocument(engine), url: `engine:${engine.name}` })),
  );
  const problems = composed.errors?.map(({ message }) => message) ?? [];
  for (const hint of composed.hints ?? []) if (hint.definition.code === CONFLICT) problems.push(hint.message);
  if (problems.length || !composed.supergraphSdl) throw new Error(`The graph does not compose:\n  ${problems.join('\n  ')}`);

  const sdl = composed.supergraphSdl;
  const supergraph = Supergraph.build(sdl, { supportedFeatures: null, validateSupergraph: false });
  const apiSchema = withScalars(supergraph.apiSchema().toGraphQLJSSchema());
  const requirements = readRequirements(parse(sdl, { noLocation: true }));
  assertGuarded(apiSchema, requirements);
  return { sdl, supergraph, apiSchema, requirements };
}
