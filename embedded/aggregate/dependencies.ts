import type { Document } from 'bson';

/** Stages after which only what they made is left of a document. */
const REPLACING = new Set(['$group', '$count', '$sortByCount', '$bucket', '$replaceRoot', '$replaceWith']);

/**
 * The top-level fields that stages read, or undefined when that may be all of them. Only those need be decoded.
 * It errs on the side of too many: a string that only looks like a field path counts as one.
 */
export function neededFields(stages: readonly Document[]): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  for (const stage of stages) {
    const name = Object.keys(stage)[0] ?? '';
    const argument: unknown = stage[name];
    const replaces = REPLACING.has(name) || (name === '$project' && isInclusion(argument as Document));
    if (
      name !== '$unwind' &&
      name !== '$addFields' &&
      name !== '$set' &&
      name !== '$limit' &&
      name !== '$skip' &&
      name !== '$sort' &&
      !replaces
    )
      return undefined;
    if (name === '$sort' || name === '$project') for (const path of Object.keys(argument as Document)) names.add(rootOf(path));
    if (!collect(argument, names)) return undefined;
    if (replaces) {
      names.add('_id');
      return names;
    }
  }
  return undefined;
}

const rootOf = (path: string): string => path.split('.')[0]!;

function isInclusion(spec: Document): boolean {
  return Object.entries(spec).some(([name, v]) => name !== '_id' && v !== 0 && v !== false);
}

/** Adds the roots of the field paths in an expression; false when it refers to the whole document. */
function collect(expression: unknown, names: Set<string>): boolean {
  if (typeof expression === 'string') {
    if (!expression.startsWith('$')) return true;
    if (/^\$\$(ROOT|CURRENT)/.test(expression)) return false;
    if (!expression.startsWith('$$')) names.add(rootOf(expression.slice(1)));
    return true;
  }
  if (typeof expression !== 'object' || expression === null) return true;
  return Object.entries(expression).every(([name, value]) => name !== '$getField' && collect(value, names));
}
