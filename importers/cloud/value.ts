import type { ValueSource } from './table.js';

export type Item = Readonly<Record<string, unknown>>;

/** A thing, and what it was found in. */
export interface Found {
  item: Item;
  within?: Found | undefined;
  region: string | undefined;
  account: string | undefined;
}

export const isItem = (value: unknown): value is Item => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A list has so many entries at most. */
const MOST = 10_000;

/** What stands under a name; AWS Config writes the first letter small. */
function member(item: Item, name: string): unknown {
  if (Object.hasOwn(item, name)) return item[name];
  const small = name[0]!.toLowerCase() + name.slice(1);
  return Object.hasOwn(item, small) ? item[small] : undefined;
}

/** The values at a path; lists on the way and at its end are gone through, what is null is left out. */
export function valuesAt(item: unknown, path: string): unknown[] {
  let found: unknown[] = [item];
  if (path !== '.')
    for (const step of path.split('.'))
      found = found.slice(0, MOST).flatMap((value) => {
        const next = isItem(value) ? member(value, step) : undefined;
        return Array.isArray(next) ? (next as unknown[]) : [next];
      });
  return found.filter((value) => value !== undefined && value !== null);
}

/** The value as it stands at the end of a path: a list stays one, and several values are one. */
function valueAt(found: Found, path: string): unknown {
  if (path.startsWith('^')) return found.within === undefined ? undefined : valueAt(found.within, path.slice(1));
  const at = path.lastIndexOf('.');
  const holders = at < 0 ? [found.item] : valuesAt(found.item, path.slice(0, at));
  const values = holders
    .map((holder) => (isItem(holder) ? member(holder, path.slice(at + 1)) : undefined))
    .filter((value) => value !== undefined);
  if (at < 0 || !passesList(found.item, path)) return values[0];
  return values.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [value])).filter((value) => value !== null);
}

/** Whether a list stands on the way to the end of a path. */
function passesList(item: Item, path: string): boolean {
  let value: unknown = item;
  for (const step of path.split('.').slice(0, -1)) {
    if (!isItem(value)) return false;
    value = member(value, step);
    if (Array.isArray(value)) return true;
  }
  return false;
}

const first = (value: unknown): unknown =>
  Array.isArray(value) ? (value as unknown[]).find((one) => one !== null && one !== undefined) : (value ?? undefined);

const holdsFor = (item: unknown, conditions: Readonly<Record<string, unknown>> = {}): boolean =>
  Object.entries(conditions).every(([name, value]) => isItem(item) && member(item, name) === value);

/** The value of an attribute; undefined where the thing does not tell it. */
export function valueOf(found: Found, source: ValueSource): unknown {
  if (typeof source === 'string') return valueAt(found, source) ?? undefined;
  if (Array.isArray(source)) {
    const all = source.flatMap((path) => {
      const value = valueAt(found, path);
      return Array.isArray(value) ? (value as unknown[]) : value === undefined || value === null ? [] : [value];
    });
    return all.length === 0 ? undefined : all;
  }
  if ('first' in source) {
    for (const path of source.first) {
      const value = first(valueAt(found, path));
      if (value !== undefined) return value;
    }
    return source.absent;
  }
  if ('list' in source) {
    const texts = source.list.map((path) => valuesAt(found.item, path).filter((value) => typeof value === 'string'));
    return texts.find((list) => list.length > 0);
  }
  if ('text' in source) return filled(found, source.text);
  if ('last' in source) {
    const value = first(valueAt(found, source.last));
    return typeof value === 'string' ? value.split(/[/:]/).at(-1) : undefined;
  }
  if ('match' in source) {
    const value = first(valueAt(found, source.match));
    return typeof value === 'string' && new RegExp(source.pattern).test(value) ? value : undefined;
  }
  if ('set' in source) return first(valueAt(found, source.set)) !== undefined;
  if ('map' in source) {
    const value = first(valueAt(found, source.map));
    return value === undefined ? undefined : source.values[String(value)];
  }
  if ('json' in source) return documentOf(found, source);
  if ('tags' in source) return tagsOf(valueAt(found, source.tags));
  if ('block' in source) {
    const value = valuesAt(found.item, source.block).find(isItem);
    if (value === undefined || (source.has !== undefined && !valuesAt(value, source.has).some((one) => one !== ''))) return undefined;
    return [blockOf(found, value, source.values)];
  }
  return valuesAt(found.item, source.blocks)
    .filter((item) => isItem(item) && holdsFor(item, source.where))
    .slice(0, MOST)
    .map((item) => blockOf(found, item as Item, source.values));
}

/** The attributes of a block. */
export function blockOf(found: Found, item: Item, values: Readonly<Record<string, ValueSource>>): Record<string, unknown> {
  const inside: Found = { ...found, item, within: found };
  const block: Record<string, unknown> = {};
  for (const [name, source] of Object.entries(values)) {
    const value = valueOf(inside, source);
    if (value !== undefined) block[name] = value;
  }
  return block;
}

function filled(found: Found, text: string): string | undefined {
  let whole = true;
  const written = text.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const value = name === 'region' ? found.region : name === 'account' ? found.account : first(valueAt(found, name));
    if (value === undefined || value === '' || typeof value === 'object') whole = false;
    return String(value);
  });
  return whole ? written : undefined;
}

/** A document as JSON text. AWS writes some percent-encoded (RFC 3986). */
function documentOf(
  found: Found,
  source: { json: string; where?: Record<string, unknown> | undefined; in?: string | undefined },
): string | undefined {
  const value =
    source.in === undefined
      ? first(valueAt(found, source.json))
      : valuesAt(found.item, source.in)
          .filter((item) => holdsFor(item, source.where))
          .map((item) => valuesAt(item, source.json.slice(source.in!.length + 1))[0])[0];
  const own = source.in === undefined && Array.isArray(valueAt(found, source.json)) ? valueAt(found, source.json) : value;
  if (own === undefined || own === '') return undefined;
  if (typeof own !== 'string') return JSON.stringify(own);
  if (!own.startsWith('%7B')) return own;
  try {
    return decodeURIComponent(own);
  } catch {
    return own;
  }
}

function tagsOf(value: unknown): Record<string, unknown> | undefined {
  if (isItem(value)) return { ...value };
  if (!Array.isArray(value)) return undefined;
  const tags = new Map<string, unknown>();
  for (const tag of value as unknown[]) {
    if (!isItem(tag)) continue;
    const [key, text] = [tag['Key'] ?? tag['key'], tag['Value'] ?? tag['value']];
    if (typeof key === 'string') tags.set(key, text ?? '');
  }
  return Object.fromEntries(tags);
}
