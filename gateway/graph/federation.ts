import { isInterfaceType, isObjectType, Kind, type DocumentNode, type GraphQLSchema } from 'graphql';
import { argumentOf, enginesOf, named } from './owners.js';

/** A type that several engines know by its key, each with fields of its own. */
export interface Entity {
  readonly type: string;
  /** The fields that name one of it, as the engines write them. */
  readonly keys: readonly string[];
  /** Engines that answer for it when they are given a key. */
  readonly resolvedBy: readonly string[];
  /** Engines that name it by its key and hold nothing else of it. */
  readonly namedBy: readonly string[];
}

/** What a federation knows beside its graph: who answers what. */
export interface Federation {
  readonly engines: readonly string[];
  readonly entities: readonly Entity[];
  /** Name of an object type or interface -> the engines that have it. */
  readonly types: Readonly<Record<string, readonly string[]>>;
  /** Field coordinate (`Query.asset`) -> the engines that answer it, where they are not all that have its type. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
}

const without = (names: readonly string[], others: ReadonlySet<string>): string[] => names.filter((name) => !others.has(name));
const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();

/**
 * Reads from a supergraph who answers what, as far as clients see it: what is `@inaccessible` to them is left out.
 * @param apiSchema what clients may ask of that supergraph
 */
export function readFederation(supergraph: DocumentNode, apiSchema: GraphQLSchema): Federation {
  const engines = enginesOf(supergraph);
  const nameOf = (graph: string | undefined): string => engines.get(graph ?? '') ?? '';
  const entities: Entity[] = [];
  const types: Record<string, string[]> = {};
  const fields: Record<string, string[]> = {};
  for (const node of supergraph.definitions) {
    if (node.kind !== Kind.OBJECT_TYPE_DEFINITION && node.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue;
    const type = apiSchema.getType(node.name.value);
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    const joins = named(node.directives, 'join__type').map((join) => ({
      engine: nameOf(argumentOf(join, 'graph')),
      key: argumentOf(join, 'key'),
      isResolvable: !join.arguments?.some(({ name, value }) => name.value === 'resolvable' && value.kind === Kind.BOOLEAN && !value.value),
    }));
    types[type.name] = sorted(joins.map(({ engine }) => engine));
    const keyed = joins.filter(({ key }) => key !== undefined);
    if (keyed.length > 0) {
      const resolvedBy = sorted(keyed.filter(({ isResolvable }) => isResolvable).map(({ engine }) => engine));
      const namedBy = without(sorted(keyed.map(({ engine }) => engine)), new Set(resolvedBy));
      entities.push({ type: type.name, keys: sorted(keyed.map(({ key }) => key!)), resolvedBy, namedBy });
    }
    for (const field of node.fields ?? []) {
      if (!(field.name.value in type.getFields())) continue;
      const own = named(field.directives, 'join__field').map((join) => argumentOf(join, 'graph'));
      if (own.length > 0) fields[`${type.name}.${field.name.value}`] = sorted(own.map(nameOf));
    }
  }
  return { engines: sorted(engines.values()), entities, types, fields };
}
