import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { composeServices } from '@apollo/composition';
import { Supergraph } from '@apollo/federation-internals';
import { isScalarType, parse, print, stripIgnoredCharacters, type GraphQLSchema } from 'graphql';
import type { Engine } from '../../kit/engine/engine.js';
import { engineDocument, SCALARS } from '../../kit/engine/schema.js';
import { apiSchemaOf } from './api-schema.js';
import { readOwners, type Owners } from './owners.js';
import { readRequirements, type RequirementTable } from './requirements.js';

/** A composition hint that would let one engine's `@permission` silently win over another's. */
const CONFLICT = 'INCONSISTENT_NON_REPEATABLE_DIRECTIVE_ARGUMENTS';

/** The listed engines as one graph. */
export interface ComposedGraph {
  readonly sdl: string;
  /** As Apollo's planner reads it; made when it is first asked for. */
  readonly supergraph: Supergraph;
  readonly owners: Owners;
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

/** Tells whether a supergraph is that of these engines: it stands in the first line of the generated file. */
export function fingerprintOf(engines: readonly Engine[]): string {
  const hash = createHash('sha256');
  for (const engine of engines) hash.update(JSON.stringify([engine.name, stripIgnoredCharacters(print(engineDocument(engine)))]));
  return `# composed of ${hash.digest('hex')}`;
}

/** The generated file, schema/supergraph.graphql, where it lies beside the program. */
const GENERATED = new URL('../../schema/supergraph.graphql', import.meta.url);

/**
 * The graph of the engines: as it was composed when the product was built, or composed now where these are other engines. Composing takes
 * most of a start.
 * @throws as `composeEngines`
 */
export function loadGraph(engines: readonly Engine[]): ComposedGraph {
  const built = existsSync(GENERATED) ? readFileSync(GENERATED, 'utf8') : '';
  return built.startsWith(`${fingerprintOf(engines)}\n`) ? readSupergraph(built) : composeEngines(engines);
}

/**
 * Composes the engines (Apollo Federation 2).
 * @throws an Error that names engine and field: what does not compose, engines that disagree on a `@permission`, a root field without one
 */
export function composeEngines(engines: readonly Engine[]): ComposedGraph {
  return readSupergraph(composeSdl(engines));
}

function composeSdl(engines: readonly Engine[]): string {
  const composed = composeServices(
    engines.map((engine) => ({ name: engine.name, typeDefs: engineDocument(engine), url: `engine:${engine.name}` })),
  );
  const problems = composed.errors?.map(({ message }) => message) ?? [];
  for (const hint of composed.hints ?? []) if (hint.definition.code === CONFLICT) problems.push(hint.message);
  if (problems.length || !composed.supergraphSdl) throw new Error(`The graph does not compose:\n  ${problems.join('\n  ')}`);
  return composed.supergraphSdl;
}

function readSupergraph(sdl: string): ComposedGraph {
  const document = parse(sdl, { noLocation: true });
  const apiSchema = withScalars(apiSchemaOf(document));
  const requirements = readRequirements(document);
  assertGuarded(apiSchema, requirements);
  let supergraph: Supergraph | undefined;
  return {
    sdl,
    apiSchema,
    requirements,
    owners: readOwners(document),
    get supergraph() {
      return (supergraph ??= Supergraph.build(sdl, { supportedFeatures: null, validateSupergraph: false }));
    },
  };
}
