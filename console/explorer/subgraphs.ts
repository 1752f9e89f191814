import { isObjectType, type GraphQLSchema } from 'graphql';
import type { ExplorerGraph } from '../../schema/explorer.js';
import { enginesOf, wordsOf } from './graph.js';

/** A field as the list of an engine shows it. */
export interface ListedField {
  readonly coordinate: string;
  readonly name: string;
  readonly type: string;
  readonly route: string | null;
  readonly needs: string;
}

/** What one engine brings into the graph. */
export interface Subgraph {
  readonly engine: string;
  /** Its fields of `Query` and `Mutation`. */
  readonly roots: readonly ListedField[];
  /** What it adds to entities, by their names. */
  readonly additions: readonly { readonly entity: string; readonly fields: readonly ListedField[] }[];
  /** Object types that it alone has. */
  readonly ownTypes: readonly string[];
}

const ROOTS = ['Query', 'Mutation'];

function fieldsOf(graph: ExplorerGraph, schema: GraphQLSchema, typeName: string, engine: string): ListedField[] {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) return [];
  return Object.values(type.getFields())
    .filter(({ name }) => enginesOf(graph, typeName, name).includes(engine))
    .map(({ name, type: answer }) => {
      const coordinate = `${typeName}.${name}`;
      const needed = graph.requirements[coordinate] ?? [];
      return { coordinate, name, type: String(answer), route: graph.routes[coordinate] ?? null, needs: needed.map(wordsOf).join(' + ') };
    });
}

/** Engine by engine, what it brings in. */
export function listSubgraphs(graph: ExplorerGraph, schema: GraphQLSchema): Subgraph[] {
  const special = new Set([...ROOTS, ...graph.entities.map(({ type }) => type)]);
  return graph.engines.map((engine) => ({
    engine,
    roots: ROOTS.flatMap((root) => fieldsOf(graph, schema, root, engine)),
    additions: graph.entities.flatMap(({ type }) => {
      // the key is everybody's
      const fields = fieldsOf(graph, schema, type, engine).filter(({ coordinate }) => graph.fields[coordinate] !== undefined);
      return fields.length > 0 ? [{ entity: type, fields }] : [];
    }),
    ownTypes: Object.entries(graph.types)
      .filter(([type, engines]) => engines.length === 1 && engines[0] === engine && !special.has(type))
      .map(([type]) => type)
      .sort(),
  }));
}

/** Narrows a list to the engines and fields whose names hold `text`; an engine that is meant by its own name stays whole. */
export function narrow(subgraphs: readonly Subgraph[], text: string): Subgraph[] {
  const wanted = text.trim().toLowerCase();
  const has = (name: string) => name.toLowerCase().includes(wanted);
  const among = (fields: readonly ListedField[]) => fields.filter(({ coordinate, route }) => has(coordinate) || has(route ?? ''));
  return subgraphs.flatMap((subgraph) => {
    if (has(subgraph.engine)) return [subgraph];
    const narrowed = {
      ...subgraph,
      roots: among(subgraph.roots),
      additions: subgraph.additions.flatMap(({ entity, fields }) => {
        const left = has(entity) ? fields : among(fields);
        return left.length > 0 ? [{ entity, fields: left }] : [];
      }),
      ownTypes: subgraph.ownTypes.filter(has),
    };
    return narrowed.roots.length + narrowed.additions.length + narrowed.ownTypes.length > 0 ? [narrowed] : [];
  });
}
