type Plain = Readonly<Record<string, unknown>>;

/** What stands at an attribute path, once. */
export interface Occurrence {
  /** The path with the places in lists: `ingress[0].cidr_blocks[1]`. */
  where: string;
  /** Undefined where nothing stands there. */
  value: unknown;
  /** The keys and places that lead there. */
  trail: readonly (string | number)[];
}

const isPlain = (value: unknown): value is Plain => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What stands at a path of a configuration, element by element. A block that is written as a list of one is gone through without its place.
 * @param path `[]` after a list
 * @param most ends after so many
 */
export function occurrencesAt(configuration: Plain, path: string, most: number): Occurrence[] {
  const found: Occurrence[] = [];
  descend(configuration, path.split('.'), '', [], found, most);
  return found;
}

function descend(
  value: unknown,
  steps: readonly string[],
  where: string,
  trail: readonly (string | number)[],
  found: Occurrence[],
  most: number,
): void {
  if (found.length >= most) return;
  const [step, ...rest] = steps;
  if (step === undefined) return void found.push({ where, value: value ?? undefined, trail });
  if (Array.isArray(value)) {
    const single = value.length === 1;
    if (value.length === 0) return void found.push({ where: joined(where, steps), value: undefined, trail });
    for (const [i, item] of value.entries()) descend(item, steps, single ? where : `${where}[${i}]`, [...trail, i], found, most);
    return;
  }
  const name = step.replace('[]', '');
  const own = isPlain(value) ? value[name] : undefined;
  if (own === undefined || own === null) return void found.push({ where: joined(where, steps), value: undefined, trail });
  const at = joined(where, [name]);
  if (!step.endsWith('[]')) return descend(own, rest, at, [...trail, name], found, most);
  // one value stands for a list of one
  const items = Array.isArray(own) ? own : [own];
  if (items.length === 0) return void found.push({ where: at, value: undefined, trail: [...trail, name] });
  for (const [i, item] of items.entries())
    descend(item, rest, `${at}[${i}]`, [...trail, name, ...(Array.isArray(own) ? [i] : [])], found, most);
}

const joined = (where: string, steps: readonly string[]): string =>
  [...(where === '' ? [] : [where]), ...steps.map((step) => step.replace('[]', ''))].join('.');

/** A configuration whose lists on a trail hold nothing but the element that it leads to. */
export function keepingOnly(value: unknown, [step, ...rest]: readonly (string | number)[]): unknown {
  if (step === undefined) return value;
  if (typeof step === 'number') return Array.isArray(value) ? [keepingOnly(value[step], rest)] : value;
  return isPlain(value) && Object.hasOwn(value, step) ? { ...value, [step]: keepingOnly(value[step], rest) } : value;
}
