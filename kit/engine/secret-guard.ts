import { Kind, type DocumentNode, type GraphQLFieldResolver } from 'graphql';
import type { IResolvers } from '@graphql-tools/utils';
import type { EngineContext } from './context.js';
import { invalid } from '../base/errors.js';
import { findSecretPaths } from '../../redaction/secret-keys.js';

/** The fields of Mutation that are marked `@acceptsSecrets`. */
function fieldsThatAcceptSecrets(document: DocumentNode): Set<string> {
  const names = new Set<string>();
  for (const node of document.definitions) {
    if ((node.kind !== Kind.OBJECT_TYPE_DEFINITION && node.kind !== Kind.OBJECT_TYPE_EXTENSION) || node.name.value !== 'Mutation') continue;
    for (const field of node.fields ?? [])
      if (field.directives?.some(({ name }) => name.value === 'acceptsSecrets')) names.add(field.name.value);
  }
  return names;
}

/**
 * Puts a guard before every change: secret material in its arguments, at any depth, is a validation error that names the path and never the
 * value (decision 31), whichever way the call came in. Fields marked `@acceptsSecrets` take credentials on purpose.
 */
export function guardSecrets(document: DocumentNode, resolvers: IResolvers<unknown, EngineContext>): IResolvers<unknown, EngineContext> {
  const { Mutation: changes } = resolvers as { Mutation?: Record<string, GraphQLFieldResolver<unknown, EngineContext>> };
  if (!changes) return resolvers;
  const accepting = fieldsThatAcceptSecrets(document);
  const guarded = Object.entries(changes).map(([field, resolve]) => {
    const guard: typeof resolve = (source, args, context, info) => {
      // `input` is the body: a path is told as it stands there
      const paths = findSecretPaths(args).map((path) => path.replace(/^input\./, ''));
      if (paths.length > 0) throw invalid(paths.map((path) => ({ path, message: 'holds what looks like a secret' })));
      return resolve(source, args, context, info);
    };
    return [field, accepting.has(field) ? resolve : guard] as const;
  });
  return { ...resolvers, Mutation: Object.fromEntries(guarded) };
}
