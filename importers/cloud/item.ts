import { plainText } from '../readers/json/fields.js';

export type Item = Readonly<Record<string, unknown>>;

export const isItem = (value: unknown): value is Item => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is not known before it is made stands as text with a reference in it; reports of what there is have none where a thing is asked for. */
export const isOpen = (value: unknown): value is string => typeof value === 'string' && value.includes('${');

/** Open from end to end: nothing of it is known. */
export const isWhollyOpen = (value: unknown): value is string => typeof value === 'string' && /^\$\{[^{}]*\}$/.test(value);

/** A choice, one side of which may be that there is nothing. */
export const mayBeNone = (value: unknown): value is string => isWhollyOpen(value) && value.includes('?');

/** A list has so many entries at most. */
export const MOST_ENTRIES = 10_000;

/** What stands under a name; AWS Config writes the first letter small, and Azure's command line leaves `properties` out. */
export function member(item: Item, name: string): unknown {
  if (Object.hasOwn(item, name)) return item[name];
  if (name === 'properties') return item;
  const small = name[0]!.toLowerCase() + name.slice(1);
  return Object.hasOwn(item, small) ? item[small] : undefined;
}

function parsed(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The values at a path; lists on the way and at its end are gone through, what is null is left out. What is not known stands for whatever lies below it. */
export function valuesAt(item: unknown, path: string): unknown[] {
  let found: unknown[] = [item];
  if (path !== '.')
    for (const step of path.split('.'))
      found = found.slice(0, MOST_ENTRIES).flatMap((value) => {
        if (isWhollyOpen(value)) return [value];
        const next =
          step === '$json' ? parsed(value) : !isItem(value) ? undefined : step === '$values' ? Object.values(value) : member(value, step);
        return Array.isArray(next) ? (next as unknown[]) : [next];
      });
  return found.filter((value) => value !== undefined && value !== null);
}

/** What stands between the commas of the texts at some paths; undefined where there is none. */
export function partsAt(item: Item, paths: readonly string[]): string[] | undefined {
  const all = paths.flatMap((path) => valuesAt(item, path)).flatMap((value) => (isOpen(value) ? [value] : plainText(value).split(',')));
  const parts = all.map((part) => part.trim()).filter((part) => part !== '');
  return parts.length === 0 ? undefined : parts;
}
