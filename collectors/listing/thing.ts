/** A thing that an interface has told, and what it was found under; at the root the place. */
export interface Holder {
  readonly item: Readonly<Record<string, unknown>>;
  readonly within?: Holder;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What stands at a path; undefined where a step is missing. */
export const at = (value: unknown, path: string): unknown =>
  path === '.' ? value : path.split('.').reduce<unknown>((inner, step) => (isObject(inner) ? inner[step] : undefined), value);

/** The things of a list that an answer has at a path; texts become things of that name. */
export const thingsAt = (answer: unknown, path: string): Record<string, unknown>[] => {
  const found = at(answer, path);
  return (Array.isArray(found) ? (found as unknown[]) : [found]).flatMap((one) =>
    isObject(one) ? [one] : typeof one === 'string' ? [{ id: one, name: one }] : [],
  );
};

/** The text that a name in braces stands for: of the thing, else of what is around it. */
function named(holder: Holder, name: string): string | undefined {
  if (name.startsWith('^')) return holder.within === undefined ? undefined : named(holder.within, name.slice(1));
  const value = at(holder.item, name);
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return holder.within === undefined ? undefined : named(holder.within, name);
}

/** A text with what its names in braces stand for, each written by `write`. Undefined while one of them is missing. */
export function filled(text: string, holder: Holder, write: (value: string) => string = (value) => value): string | undefined {
  let isWhole = true;
  const written = text.replaceAll(/\{(\^*[\w.]+)\}/g, (_, name: string) => {
    const value = named(holder, name);
    isWhole &&= value !== undefined && value !== '';
    return value === undefined ? '' : write(value);
  });
  return isWhole ? written : undefined;
}

/** A value with those things alone, of the list at a path, for which `isKept` holds. */
export function onlyAt(value: unknown, path: string, isKept: (item: Readonly<Record<string, unknown>>) => boolean): unknown {
  if (!isObject(value)) return value;
  const [step = '', ...rest] = path.split('.');
  const inner = value[step];
  if (rest.length > 0) return step in value ? { ...value, [step]: onlyAt(inner, rest.join('.'), isKept) } : value;
  if (Array.isArray(inner)) return { ...value, [step]: (inner as unknown[]).filter((one) => !isObject(one) || isKept(one)) };
  // a list of one, of an interface that answers in XML
  return isObject(inner) && !isKept(inner) ? { ...value, [step]: [] } : value;
}

/** A value without what stands at some paths; lists on the way are gone through. */
export function without(value: unknown, paths: readonly string[]): unknown {
  if (paths.length === 0) return value;
  if (Array.isArray(value)) return (value as unknown[]).map((one) => without(one, paths));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (paths.includes(name)) return [];
      const below = paths.filter((path) => path.startsWith(`${name}.`)).map((path) => path.slice(name.length + 1));
      return [[name, without(inner, below)]];
    }),
  );
}
