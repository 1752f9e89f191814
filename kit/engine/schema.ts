import { buildSubgraphSchema } from '@apollo/subgraph';
import { concatAST, GraphQLScalarType, parse, type DocumentNode, type GraphQLSchema } from 'graphql';
import { GraphQLDateTimeISO, GraphQLJSON } from 'graphql-scalars';
import { readFileSync } from 'node:fs';
import type { Engine } from './engine.js';

type ResolverMap = NonNullable<Extract<Parameters<typeof buildSubgraphSchema>[0], { typeDefs: unknown; resolvers?: unknown }>['resolvers']>;

/** The shared part of every engine's schema: schema/base.graphql. */
const base = parse(readFileSync(new URL('../../schema/base.graphql', import.meta.url), 'utf8'), { noLocation: true });

/** A moment: out as ISO 8601 in UTC with milliseconds, in as an RFC 3339 text that becomes a Date. */
export const dateTimeScalar = new GraphQLScalarType<Date, string>({
  ...GraphQLDateTimeISO.toConfig(),
  name: 'DateTime',
  serialize: (value) => (value instanceof Date ? value.toISOString() : (GraphQLDateTimeISO.serialize(value) as unknown as string)),
});

/** The scalars of schema/base.graphql, by name. */
export const SCALARS: Readonly<Record<string, GraphQLScalarType>> = {
  DateTime: dateTimeScalar,
  JSON: new GraphQLScalarType({ ...GraphQLJSON.toConfig(), name: 'JSON' }),
};

/** An engine's part of the graph as composition takes it: base.graphql and its own definitions. */
export const engineDocument = (engine: Pick<Engine, 'document'>): DocumentNode => concatAST([base, engine.document]);

/**
 * The executable schema of one engine, with `_entities` and `_service`.
 * @throws an Error that names the engine when its definitions or resolvers do not hold
 */
export function buildEngineSchema(engine: Engine): GraphQLSchema {
  // Apollo's resolver map and graphql-tools' describe the same objects with types that do not know each other.
  const resolvers = { ...SCALARS, ...engine.resolvers } as ResolverMap;
  try {
    return buildSubgraphSchema({ typeDefs: engineDocument(engine), resolvers });
  } catch (error) {
    throw new Error(`engine ${engine.name}: ${(error as Error).message}`, { cause: error });
  }
}
