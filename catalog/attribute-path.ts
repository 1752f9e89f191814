/** A step of an attribute path: `rule[]` is a list's name. */
export interface PathStep {
  name: string;
  list: boolean;
}

/** Reads `rule[].apply.sse_algorithm`. A path that ends with `[]` means each value of a list. @throws when it is no path */
export function parsePath(path: string): PathStep[] {
  return path.split('.').map((part) => {
    const match = /^([A-Za-z_][\w-]*)(\[\])?$/.exec(part);
    if (match === null) throw new Error(`${path} is no attribute path`);
    return { name: match[1]!, list: match[2] !== undefined };
  });
}

const select = (base: string, name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? `${base}.${name}` : `${base}["${name}"]`);

/** `has()` of a member, also where its name is no identifier. */
export const hasMember = (base: string, name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) ? `has(${base}.${name})` : `"${name}" in ${base}`;

export interface Presence {
  /** What it means that the attribute itself, or an element's attribute, is not there. */
  absent: boolean;
  /** The same for a block, or a list, above it. */
  blockAbsent: boolean;
  each: 'all' | 'any';
}

/**
 * The expression that holds when what stands at the path satisfies `leaf`, guarded with `has()` at every level.
 * @param leaf the condition on a value, given its expression; undefined when its presence is all that is asked
 */
export function pathExpression(steps: readonly PathStep[], leaf: ((value: string) => string) | undefined, presence: Presence): string {
  return descend('r', steps, leaf, presence, 0);
}

function descend(
  base: string,
  steps: readonly PathStep[],
  leaf: ((value: string) => string) | undefined,
  presence: Presence,
  depth: number,
): string {
  const guards: string[] = [];
  let at = base;
  for (const [i, step] of steps.entries()) {
    const last = i === steps.length - 1;
    const guard = hasMember(at, step.name);
    at = select(at, step.name);
    if (step.list) {
      guards.push(guard);
      const element = `e${depth}`;
      const inner = last ? (leaf?.(element) ?? 'true') : descend(element, steps.slice(i + 1), leaf, presence, depth + 1);
      const over = last ? `strings(${at})` : at;
      const macro = `${over}.${presence.each === 'any' ? 'exists' : 'all'}(${element}, ${inner})`;
      return guarded(guards, macro, last ? presence.absent : presence.blockAbsent);
    }
    if (last) {
      const own = leaf === undefined ? [guard] : [guard, leaf(at)];
      if (presence.absent === presence.blockAbsent || guards.length === 0) {
        return leaf === undefined
          ? presenceOnly([...guards, guard], presence.absent)
          : guarded([...guards, guard], leaf(at), presence.absent);
      }
      const inner = presence.absent ? `(!${guard} || ${own[1] ?? 'true'})` : own.join(' && ');
      return guarded(guards, inner, presence.blockAbsent);
    }
    guards.push(guard);
  }
  return 'true';
}

/** The guards and the condition, true or false where a guard does not hold. */
function guarded(guards: readonly string[], condition: string, absent: boolean): string {
  if (!absent) return [...guards, wrap(condition)].join(' && ');
  return [...guards.map((guard) => negate(guard)), wrap(condition)].join(' || ');
}

/** Whether it is there (`absent` false), or is not (`absent` true). */
const presenceOnly = (guards: readonly string[], absent: boolean): string =>
  absent ? guards.map((guard) => negate(guard)).join(' || ') : guards.join(' && ');

const negate = (guard: string): string => (guard.startsWith('has(') ? `!${guard}` : `!(${guard})`);
const wrap = (condition: string): string => (/ (?:&&|\|\|) /.test(condition) && !isOneCall(condition) ? `(${condition})` : condition);

/** Whether a condition is one macro or call from its first to its last character. */
function isOneCall(condition: string): boolean {
  let depth = 0;
  for (const [i, char] of [...condition].entries()) {
    if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    else if (depth === 0 && (char === '&' || char === '|' || char === '?')) return false;
    if (depth < 0 || (i === condition.length - 1 && depth !== 0)) return false;
  }
  return true;
}

/** The expression that the attribute, or the blocks above it, are there; up to the first list. */
export function presenceExpression(steps: readonly PathStep[], blocksOnly: boolean): string {
  const guards: string[] = [];
  let at = 'r';
  for (const [i, step] of steps.entries()) {
    if (blocksOnly && i === steps.length - 1) break;
    guards.push(hasMember(at, step.name));
    at = select(at, step.name);
    if (step.list) break;
  }
  return guards.length === 0 ? 'true' : guards.join(' && ');
}

/** A configuration in which the value stands at the path. */
export function configurationWith(steps: readonly PathStep[], value: unknown): Record<string, unknown> {
  const [step, ...rest] = steps;
  if (step === undefined) return {};
  const inner = rest.length === 0 ? value : configurationWith(rest, value);
  return { [step.name]: step.list ? [inner] : inner };
}

/** Two configurations as one: blocks are merged, lists element by element, anything else is the second's. */
export function merged(a: unknown, b: unknown): unknown {
  if (Array.isArray(a) && Array.isArray(b))
    return b.length > a.length
      ? b.map((item, i) => (i < a.length ? merged(a[i], item) : item))
      : a.map((item, i) => (i < b.length ? merged(item, b[i]) : item));
  if (isPlain(a) && isPlain(b)) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    return Object.fromEntries([...keys].map((key) => [key, key in a && key in b ? merged(a[key], b[key]) : key in b ? b[key] : a[key]]));
  }
  return b === undefined ? a : b;
}

const isPlain = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
