import { plainText } from '../readers/json/fields.js';
import { isItem, isOpen, isWhollyOpen, mayBeNone, member, MOST_ENTRIES, partsAt, valuesAt, type Item } from './item.js';
import { sameAt } from './same.js';
import type { Same, Values, ValueSource } from './table.js';

/** A thing, and what it was found in. */
export interface Found {
  item: Item;
  within?: Found | undefined;
  region: string | undefined;
  account: string | undefined;
  /** What it does not tell may be there all the same. */
  summary?: boolean | undefined;
}

/** The value as it stands at the end of a path: a list stays one, and several values are one. */
function valueAt(found: Found, path: string): unknown {
  if (path === '.') return found.item;
  if (path.startsWith('^')) return found.within === undefined ? undefined : valueAt(found.within, path.slice(1));
  const at = path.lastIndexOf('.');
  const holders = at < 0 ? [found.item] : valuesAt(found.item, path.slice(0, at));
  const values = holders
    // what is not known may have any member
    .map((holder) => (isItem(holder) ? member(holder, path.slice(at + 1)) : isWhollyOpen(holder) ? holder : undefined))
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

/** One that cannot be told from those that fulfil the conditions. */
const mayHoldFor = (item: Item, conditions: Readonly<Record<string, unknown>> = {}): string | undefined =>
  Object.keys(conditions)
    .map((name) => member(item, name))
    .find(isWhollyOpen);

const holdsFor = (item: unknown, conditions: Readonly<Record<string, unknown>> = {}): boolean =>
  Object.entries(conditions).every(([name, value]) => isItem(item) && (member(item, name) ?? false) === value);

/** Patterns of the tables; identifiers are written in any case. */
const patterns = new Map<string, RegExp>();

function patternOf(text: string): RegExp {
  const known = patterns.get(text) ?? new RegExp(text, 'i');
  patterns.set(text, known);
  return known;
}

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
    return found.summary === true ? undefined : source.absent;
  }
  if ('list' in source) {
    const texts = source.list.map((path) => valuesAt(found.item, path).filter((value) => typeof value === 'string'));
    return texts.find((list) => list.length > 0);
  }
  if ('split' in source) return partsAt(found.item, source.split);
  if ('join' in source) return valuesAt(found.item, source.join).map(plainText).join(',') || undefined;
  if ('text' in source) return filled(found, source.text);
  if ('json' in source) return documentOf(found, source);
  if ('tags' in source) return tagsOf(valueAt(found, source.tags), source.keys);
  if ('block' in source) {
    const all = source.block === '.' ? [found.item] : valuesAt(found.item, source.block);
    const value = all.find(isItem);
    if (value === undefined) return all.find(isOpen);
    const having = source.has === undefined ? undefined : valuesAt(value, source.has).filter((one) => one !== '' && one !== false);
    if (having?.length === 0) return undefined;
    if (having?.every(mayBeNone) === true) return having[0];
    const said = Object.entries(source.when ?? {}).map(([path, pattern]) => ({ pattern, value: valuesAt(value, path)[0] }));
    if (said.some((one) => !isOpen(one.value) && !patternOf(one.pattern).test(String(one.value ?? '')))) return undefined;
    const open = said.find((one) => isOpen(one.value));
    if (open !== undefined) return open.value;
    return [blockOf(source.part === true ? { ...found, summary: true } : found, value, source.values, source.same)];
  }
  if ('blocks' in source) return blocksOf(found, source);
  return scalarOf(found, source);
}

function blocksOf(found: Found, { blocks, where, values, same }: Extract<ValueSource, { blocks: string }>): unknown[] | undefined {
  const all = valuesAt(found.item, blocks);
  // a list that a summary does not tell may be there all the same
  if (all.length === 0 && found.summary === true && valueAt(found, blocks) === undefined) return undefined;
  return all
    .map((item) => (isItem(item) && !holdsFor(item, where) ? mayHoldFor(item, where) : item))
    .filter((item) => isItem(item) || isOpen(item))
    .slice(0, MOST_ENTRIES)
    .map((item) => (isItem(item) ? blockOf(found, item, values, same) : item));
}

type ScalarSource =
  | Extract<ValueSource, { last: string } | { match: string } | { part: string } | { set: string } | { map: string }>
  | Extract<ValueSource, { not: string } | { holds: string } | { value: unknown } | { entry: string }>;

function scalarOf(found: Found, source: ScalarSource): unknown {
  if ('holds' in source) {
    const value = valueAt(found, source.holds);
    const open = (Array.isArray(value) ? (value as unknown[]) : [value]).find(isWhollyOpen);
    if (open !== undefined) return open;
    return value === undefined ? undefined : (Array.isArray(value) ? (value as unknown[]) : [value]).includes(source.value);
  }
  if ('entry' in source) return entryOf(found, source);
  if ('set' in source) {
    const value = first(valueAt(found, source.set));
    if (mayBeNone(value)) return value;
    return value === undefined && found.summary === true ? undefined : value !== undefined;
  }
  if ('value' in source) return source.value;
  const path =
    'last' in source
      ? source.last
      : 'match' in source
        ? source.match
        : 'part' in source
          ? source.part
          : 'map' in source
            ? source.map
            : source.not;
  const value = first(valueAt(found, path));
  if ('match' in source) return typeof value === 'string' && mayFit(source.pattern, value) ? value : undefined;
  if (isWhollyOpen(value) && !('part' in source)) return value;
  if (isOpen(value) && ('map' in source || 'not' in source)) return value;
  if ('map' in source) {
    if (value === undefined) return found.summary === true ? undefined : source.absent;
    const text = plainText(value);
    return source.values[source.take === undefined ? text : (patternOf(source.take).exec(text)?.[1]?.toLowerCase() ?? '')];
  }
  if ('not' in source) return typeof value === 'boolean' ? !value : undefined;
  if (typeof value !== 'string') return undefined;
  if ('last' in source) return value.split(/[/:]/).at(-1);
  return patternOf(source.pattern).exec(value)?.[1];
}

/** Of what is not known, a reference to a resource names the resource's type; anything else may fit. */
const mayFit = (pattern: string, value: string): boolean =>
  patternOf(pattern).test(value) || (isWhollyOpen(value) && !/^\$\{[a-z]+_\w+\./.test(value));

function entryOf(found: Found, { entry, key, values }: Extract<ValueSource, { entry: string }>): unknown {
  const tags = tagsOf(valueAt(found, entry));
  if (typeof tags === 'string') return tags;
  const value = tags?.[key];
  if (isWhollyOpen(value)) return value;
  return values === undefined || value === undefined ? value : values[plainText(value)];
}

/** The attributes of a block. What it is known not to have is null; what a summary does not tell is left out. */
export function blockOf(found: Found, item: Item, values: Readonly<Values> = {}, same: readonly Same[] = []): Record<string, unknown> {
  const inside: Found = { ...found, item, within: found.item === item ? found.within : found };
  const block: Record<string, unknown> = {};
  const put = (name: string, value: unknown): void => {
    if (value !== undefined) block[name] = value;
    else if (found.summary !== true) block[name] ??= null;
  };
  for (const entry of same) {
    if (typeof entry === 'string') put(entry, sameAt(item, entry));
    else put(entry.block, sameBlocks(inside, sameAt(item, entry.block), entry.same));
  }
  for (const [name, source] of Object.entries(values)) put(name, valueOf(inside, source));
  return block;
}

function sameBlocks(found: Found, value: unknown, same: readonly Same[]): unknown {
  if (isItem(value)) return [blockOf(found, value, {}, same)];
  if (isOpen(value)) return value;
  if (!Array.isArray(value)) return undefined;
  return (value as unknown[])
    .filter((item) => isItem(item) || isOpen(item))
    .slice(0, MOST_ENTRIES)
    .map((item) => (isItem(item) ? blockOf(found, item, {}, same) : item));
}

function filled(found: Found, text: string): string | undefined {
  let whole = true;
  const written = text.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const value = name === 'region' ? found.region : name === 'account' ? found.account : first(valueAt(found, name));
    if (value === undefined || value === '' || typeof value === 'object') whole = false;
    return plainText(value);
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
  if (!/^%7B/i.test(own)) return own;
  try {
    return decodeURIComponent(own);
  } catch {
    return own;
  }
}

const TAG_KEYS: readonly [string, string][] = [
  ['Key', 'Value'],
  ['key', 'value'],
  ['TagKey', 'TagValue'],
];

function tagsOf(value: unknown, keys?: [string, string]): Record<string, unknown> | string | undefined {
  if (isItem(value)) return { ...value };
  // tags of which one is not known may have any name
  const open = (Array.isArray(value) ? (value as unknown[]) : [value]).find(isWhollyOpen);
  if (open !== undefined) return open;
  if (!Array.isArray(value)) return undefined;
  const tags = new Map<string, unknown>();
  for (const tag of value as unknown[]) {
    if (!isItem(tag)) continue;
    const names = keys ?? TAG_KEYS.find(([key]) => typeof tag[key] === 'string');
    if (names && typeof tag[names[0]] === 'string') tags.set(plainText(tag[names[0]]), tag[names[1]] ?? '');
  }
  return Object.fromEntries(tags);
}
