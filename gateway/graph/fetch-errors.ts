import { getOperationAST, Kind, parse, type GraphQLError } from 'graphql';
import { publicError } from '../../http/engine-errors.js';

export type Path = readonly (string | number)[];

/** The errors of a call that gave no data, reported at the place in the answer that stays empty for it. */
export const failureAt = (errors: readonly GraphQLError[], path: Path, requestId: string): GraphQLError[] =>
  errors.map((error) => publicError(error, path, requestId));

/** The part of a plan's path before its first list: the place that a fetch for many rows is named by. */
export function placeOf(path: Path): Path {
  const list = path.indexOf('@');
  return list < 0 ? path : path.slice(0, list);
}

/** The answer keys of the top level of a fetch: read only when the fetch has failed. */
export function rootKeysOf(query: string): string[] {
  const selections = getOperationAST(parse(query))?.selectionSet.selections ?? [];
  return selections.flatMap((node) => (node.kind === Kind.FIELD ? [node.alias?.value ?? node.name.value] : []));
}
