import { Kind, type GraphQLSchema } from 'graphql';
import { MapperKind, mapSchema, pruneSchema } from '@graphql-tools/utils';
import type { Engine } from '../kit/engine/engine.js';

/** The fields that engines mark `@graphOnly`, as `Type.field`. */
export function graphOnlyFields(engines: readonly Engine[]): Set<string> {
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
        if (field.directives?.some((directive) => directive.name.value === 'graphOnly'))
          marked.add(`${node.name.value}.${field.name.value}`);
      }
    }
  }
  return marked;
}

/**
 * The REST view: a copy of the API schema without the fields marked `@graphOnly` and without what only they reach. A document that
 * selects all of the view stays within one engine, so that every REST operation plans to a single fetch.
 */
export function restView(apiSchema: GraphQLSchema, engines: readonly Engine[]): GraphQLSchema {
  const marked = graphOnlyFields(engines);
  const filtered = mapSchema(apiSchema, {
    [MapperKind.COMPOSITE_FIELD]: (config, field, type) => (marked.has(`${type}.${field}`) ? null : config),
  });
  return pruneSchema(filtered, { skipEmptyCompositeTypePruning: false });
}
