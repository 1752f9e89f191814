import { GraphQLNonNull, GraphQLSchema, isNonNullType, isObjectType, Kind, type GraphQLNamedType } from 'graphql';
import { MapperKind, mapSchema } from '@graphql-tools/utils';
import type { Engine } from '../kit/engine/engine.js';

/** The fields that engines mark `@graphOnly`, as `Type.field`. */
export const graphOnlyFields = (engines: readonly Engine[]): Set<string> => markedFields(engines, 'graphOnly');

function markedFields(engines: readonly Engine[], mark: 'graphOnly' | 'nonNullOverRest'): Set<string> {
  const marked = new Set<string>();
  for (const { document } of engines) {
    for (const node of document.definitions) {
      if (
        node.kind !== Kind.OBJECT_TYPE_DEFINITION &&
        node.kind !== Kind.OBJECT_TYPE_EXTENSION &&
        node.kind !== Kind.INTERFACE_TYPE_DEFINITION
      )
        continue;
      for (const field of node.fields ?? []) {
        if (field.directives?.some((directive) => directive.name.value === mark)) marked.add(`${node.name.value}.${field.name.value}`);
      }
    }
  }
  return marked;
}

/**
 * The REST view: a copy of the API schema without the fields marked `@graphOnly` and without what only they reach. A document that
 * selects all of the view stays within one engine, so that every REST operation plans to a single fetch. That engine has the whole of what
 * others only name, so fields marked `@nonNullOverRest` are never null there.
 */
export function restView(apiSchema: GraphQLSchema, engines: readonly Engine[]): GraphQLSchema {
  const graphOnly = graphOnlyFields(engines);
  const nonNull = markedFields(engines, 'nonNullOverRest');
  const filtered = mapSchema(apiSchema, {
    [MapperKind.COMPOSITE_FIELD]: (config, field, type) => {
      const name = `${type}.${field}`;
      if (graphOnly.has(name)) return null;
      return nonNull.has(name) && !isNonNullType(config.type) ? { ...config, type: new GraphQLNonNull(config.type) } : config;
    },
  });
  return reachable(filtered);
}

/** A schema with the types that its root types lead to, and no others: what implements an interface is led to by it. */
function reachable(schema: GraphQLSchema): GraphQLSchema {
  const { types: all, ...config } = schema.toConfig();
  for (let types: GraphQLNamedType[] = []; ;) {
    const made = new GraphQLSchema({ ...config, types, assumeValid: true });
    const led = all.filter(
      (type) => isObjectType(type) && !made.getType(type.name) && type.getInterfaces().some(({ name }) => made.getType(name)),
    );
    if (led.length === 0) return made;
    types = [...types, ...led];
  }
}
