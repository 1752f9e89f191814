import { BSON, childrenOf, type RawValue } from '../bson/raw.js';
import { containerOf, documentOf } from '../bson/write.js';
import { CommandError } from '../errors.js';
import { conjunctsOf, type Filter } from '../query/ast.js';
import { compileFilter, type Matcher } from '../query/match.js';
import { parseFilter } from '../query/parse.js';
import { getAt, type ObjectNode } from './tree.js';

/** What `$`, `$[]` and `$[name]` in update paths refer to. */
export interface Positions {
  readonly filter: Filter;
  readonly arrayFilters: ReadonlyMap<string, Matcher>;
}

/** Parses arrayFilters: one matcher per identifier, over a document that holds the element under that identifier. */
export function parseArrayFilters(filters: readonly RawValue[]): Map<string, Matcher> {
  const matchers = new Map<string, Matcher>();
  for (const value of filters) {
    const filter = parseFilter(value);
    const names = identifiersOf(filter);
    const [name] = names;
    if (name === undefined || names.size !== 1) throw new CommandError(9, 'Each array filter must use exactly one identifier');
    if (matchers.has(name)) throw new CommandError(9, `Found multiple array filters with the same top-level field name ${name}`);
    matchers.set(name, compileFilter(filter));
  }
  return matchers;
}

function identifiersOf(filter: Filter): Set<string> {
  switch (filter.kind) {
    case 'and':
    case 'or':
    case 'nor':
      return new Set(filter.filters.flatMap((f) => [...identifiersOf(f)]));
    case 'not':
      return identifiersOf(filter.filter);
    case 'expression':
    case 'constant':
      return new Set();
    default:
      return new Set([filter.path.text.split('.')[0]!]);
  }
}

/** The paths that an update path with positional parts stands for in one document. */
export function resolvePath(root: ObjectNode, path: readonly string[], positions: Positions): string[][] {
  const at = path.findIndex((part) => part === '$' || part.startsWith('$['));
  if (at < 0) return [[...path]];
  const prefix = path.slice(0, at);
  const rest = path.slice(at + 1);
  const part = path[at]!;
  const array = getAt(root, prefix);
  if (array?.type !== BSON.array) {
    throw new CommandError(2, `The path '${prefix.join('.')}' must exist in the document in order to apply array updates.`);
  }
  const indexes = part === '$' ? [matchedPosition(array, prefix, positions.filter)] : selected(array, part, positions.arrayFilters);
  return indexes.flatMap((i) => resolvePath(root, [...prefix, String(i), ...rest], positions));
}

function selected(array: RawValue, part: string, filters: ReadonlyMap<string, Matcher>): number[] {
  const items = childrenOf(array);
  const name = part.slice(2, -1);
  if (name === '') return items.map((_, i) => i);
  const matches = filters.get(name);
  if (!matches) throw new CommandError(2, `No array filter found for identifier '${name}'`);
  return items.flatMap((e, i) => (matches(documentOf([{ name, value: e.value }]), 0) ? [i] : []));
}

/** The first element for which the filter's own condition on the array holds. */
function matchedPosition(array: RawValue, prefix: readonly string[], filter: Filter): number {
  const name = prefix.join('.');
  const conditions = conjunctsOf(filter).flatMap((f) => (f.kind === 'or' ? f.filters.flatMap(conjunctsOf) : [f]));
  for (const condition of conditions) {
    if (!('path' in condition) || !(condition.path.text === name || condition.path.text.startsWith(`${name}.`))) continue;
    const matches = compileFilter(condition);
    const found = childrenOf(array).findIndex((e) => matches(wrapped(prefix, e.value), 0));
    if (found >= 0) return found;
  }
  throw new CommandError(2, 'The positional operator did not find the match needed from the query.');
}

/** A document that holds, at a path, an array of one element. */
function wrapped(path: readonly string[], element: RawValue): Buffer {
  let value = containerOf(BSON.array, [{ name: '0', value: element }]);
  for (const name of [...path].reverse()) value = containerOf(BSON.object, [{ name, value }]);
  return value.bytes;
}
