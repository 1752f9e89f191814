import {
  Kind,
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** What a supergraph says of who answers which field. */
export interface Owners {
  /** Coordinate of a root field (`Query.asset`) -> the only engine that has it. */
  readonly roots: ReadonlyMap<string, string>;
  /** Fields that an engine has in its schema and another one answers, in whole or in part. */
  readonly shared: ReadonlySet<string>;
}

/** Arguments of `@join__field` that say more than whose a field is. */
const OTHERS = ['external', 'requires', 'override', 'usedOverridden', 'type'];
const ROOTS = ['Query', 'Mutation'];

export const argumentOf = (directive: ConstDirectiveNode, name: string): string | undefined => {
  const value = directive.arguments?.find((argument) => argument.name.value === name)?.value;
  return value?.kind === Kind.ENUM || value?.kind === Kind.STRING ? value.value : undefined;
};
export const named = (directives: readonly ConstDirectiveNode[] | undefined, name: string): ConstDirectiveNode[] =>
  (directives ?? []).filter((directive) => directive.name.value === name);

/** Engine names by the values of `join__Graph`. */
export function enginesOf(supergraph: DocumentNode): ReadonlyMap<string, string> {
  for (const node of supergraph.definitions)
    if (node.kind === Kind.ENUM_TYPE_DEFINITION && node.name.value === 'join__Graph')
      return new Map(
        (node.values ?? []).map(({ name, directives }) => [
          name.value,
          argumentOf(named(directives, 'join__graph')[0]!, 'name') ?? name.value,
        ]),
      );
  throw new Error('the document is no supergraph: it names no engines');
}

/** Reads the directives of the join specification (https://specs.apollo.dev/join/v0.3). */
export function readOwners(supergraph: DocumentNode): Owners {
  const engines = enginesOf(supergraph);
  const roots = new Map<string, string>();
  const shared = new Set<string>();
  for (const node of supergraph.definitions) {
    if (node.kind !== Kind.OBJECT_TYPE_DEFINITION && node.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue;
    const all = named(node.directives, 'join__type').map((directive) => argumentOf(directive, 'graph'));
    for (const field of node.fields ?? []) {
      const coordinate = `${node.name.value}.${field.name.value}`;
      const joins = named(field.directives, 'join__field');
      const graphs = joins.length ? joins.map((join) => argumentOf(join, 'graph')) : all;
      if (joins.some((join) => join.arguments?.some(({ name }) => OTHERS.includes(name.value)))) shared.add(coordinate);
      const [only, ...more] = graphs;
      const engine = only !== undefined && more.length === 0 ? engines.get(only) : undefined;
      if (ROOTS.includes(node.name.value) && engine !== undefined) roots.set(coordinate, engine);
    }
  }
  return { roots, shared };
}

/**
 * The engine that alone has the root fields of an operation; null where they are of several, or something about them decides only when the operation
 * runs. Whether it can answer all below them is for its schema to say, unless there are fields of `Owners.shared`.
 */
export function engineOfRoots({ roots }: Owners, rootType: string, set: SelectionSetNode, document: DocumentNode): string | null {
  const fields = rootFields(set, document);
  const engines = new Set(fields?.map(({ name }) => roots.get(`${rootType}.${name.value}`)));
  const [engine] = engines;
  return engines.size === 1 && engine !== undefined ? engine : null;
}

/** The root fields of an operation, fragments spread out; null where a directive stands at one or around it. */
function rootFields(set: SelectionSetNode, document: DocumentNode): FieldNode[] | null {
  const found: FieldNode[] = [];
  for (const node of set.selections) {
    if (node.directives?.length) return null;
    if (node.kind === Kind.FIELD) {
      if (node.name.value !== '__typename') found.push(node);
      continue;
    }
    const within = node.kind === Kind.INLINE_FRAGMENT ? node.selectionSet : fragmentOf(document, node.name.value).selectionSet;
    const fields = rootFields(within, document);
    if (fields === null) return null;
    found.push(...fields);
  }
  return found;
}

const fragmentOf = (document: DocumentNode, name: string): FragmentDefinitionNode =>
  document.definitions.find((node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name)!;
