import { BSON, readInt32, sizeOf, type RawElement } from '../bson/raw.js';
import { addToKey, finishKey, keyOf, startKey } from '../bson/key.js';
import { invertedKey } from '../bson/key-range.js';
import { readWholeNumber } from '../bson/number.js';
import { CommandError, notSupported } from '../errors.js';
import { pathOf, someAtPath, type FieldPath } from '../query/path.js';

/** One field of a sort. */
export interface SortField {
  readonly path: FieldPath;
  readonly descending: boolean;
}

/** Parses a sort document. `{ $natural: ±1 }` gives no fields: the order of insertion. */
export function parseSort(elements: readonly RawElement[]): SortField[] {
  return elements.flatMap(({ name, value }) => {
    if (value.type === BSON.object) throw notSupported('A sort by $meta');
    const direction = readWholeNumber(value);
    if (direction !== 1 && direction !== -1)
      throw new CommandError(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
    if (name === '$natural') {
      if (direction === -1) throw notSupported('A reverse $natural sort');
      return [];
    }
    if (name.startsWith('$')) throw new CommandError(16410, 'FieldPath field names may not start with a dollar sign');
    return [{ path: pathOf(name), descending: direction < 0 }];
  });
}

/** The key that orders a document: of an array the least element counts, or the greatest in a descending sort. */
export function sortKeyOf(buf: Buffer, docOff: number, sort: readonly SortField[]): string {
  const simple = simpleSortKey(buf, docOff, sort);
  if (simple !== undefined) return simple;
  return sort.map((field) => arraySortKey(buf, docOff, field)).join('');
}

let arrayMet = false;

function simpleSortKey(buf: Buffer, docOff: number, sort: readonly SortField[]): string | undefined {
  startKey();
  for (const { path, descending } of sort) {
    arrayMet = false;
    let visits = 0;
    someAtPath(buf, docOff, path, 0, false, (type, b, off, end) => {
      visits++;
      if (type === BSON.array) arrayMet = true;
      else addToKey(type, b, off, end, descending);
      return arrayMet;
    });
    if (arrayMet || visits !== 1) return undefined;
  }
  return finishKey();
}

function arraySortKey(buf: Buffer, docOff: number, { path, descending }: SortField): string {
  let best: string | undefined;
  const offer = (key: string): void => {
    if (best === undefined || (descending ? key > best : key < best)) best = key;
  };
  someAtPath(buf, docOff, path, 0, false, (type, b, off, end) => {
    if (type !== BSON.array) offer(keyOf(type, b, off, end));
    else if (readInt32(b, off) === 5) offer(keyOf(BSON.undefined, b, off, off));
    else eachElement(b, off, offer);
    return false;
  });
  const key = best ?? keyOf(BSON.null, buf, 0, 0);
  return descending ? invertedKey(key) : key;
}

function eachElement(buf: Buffer, off: number, offer: (key: string) => void): void {
  let pos = off + 4;
  while (buf[pos] !== 0) {
    const type = buf[pos]!;
    while (buf[++pos] !== 0);
    const end = pos + 1 + sizeOf(type, buf, pos + 1);
    offer(keyOf(type, buf, pos + 1, end));
    pos = end;
  }
}

/** Keeps the first `limit` items in the order of their keys (all without a limit), those of equal keys as they came. */
export class Sorter<T> {
  readonly #items: { key: string; item: T; order: number }[] = [];
  #threshold: string | undefined;
  #added = 0;

  constructor(private readonly limit: number = Infinity) {}

  add(key: string, item: T): void {
    if (this.#threshold !== undefined && key >= this.#threshold) return;
    this.#items.push({ key, item, order: this.#added++ });
    if (this.#items.length >= this.limit * 2 + 1000) this.#prune();
  }

  #prune(): void {
    this.#items.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.order - b.order));
    if (this.#items.length > this.limit) this.#items.length = this.limit;
    if (this.limit > 0 && this.#items.length === this.limit) this.#threshold = this.#items[this.limit - 1]!.key;
  }

  finish(): T[] {
    this.#prune();
    return this.#items.map((i) => i.item);
  }
}
