import { isInterfaceType, isObjectType, Kind, type DocumentNode, type GraphQLSchema } from 'graphql';
import type { Entity, Federation } from '../../schema/explorer.js';
import { argumentOf, enginesOf, named } from './owners.js';

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
      const own = named(field.directives, 'join__field').filter((join) => !join.arguments?.some(({ name }) => name.value === 'external'));
      if (own.length > 0) fields[`${type.name}.${field.name.value}`] = sorted(own.map((join) => nameOf(argumentOf(join, 'graph'))));
    }
  }
  return { engines: sorted(engines.values()), entities, types, fields };
}
