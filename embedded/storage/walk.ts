import type { Database, KeySpan, View } from './database.js';

/** An entry of the database. */
export interface WalkEntry {
  readonly key: string;
  /** Only where the walk was asked for values. */
  readonly value: Buffer | undefined;
}

/** Says that more must be read before a walk can go on: `load` does it. */
export const PENDING = Symbol('pending');

const FIRST = 64;
const AFTER_SKIP = 8;
const MOST = 1024;

/** Walks a range of the database: `next` gives what has been read, and `load` reads more. */
export class Walk {
  #entries: readonly [string, Buffer | undefined][] = [];
  #at = 0;
  #iterator: ReturnType<Database['walk']> | undefined;
  #ended = false;
  #skipTo: string | undefined;
  #size: number;

  /** @param expected how many entries are likely to be asked for; undefined when that is not known */
  constructor(
    private readonly database: Database,
    private readonly view: View,
    private readonly span: KeySpan,
    private readonly values: boolean,
    expected: number | undefined,
  ) {
    this.#size = Math.min(MOST, expected ?? FIRST);
    if (span.gte >= span.lt) this.#ended = true;
  }

  next(): WalkEntry | undefined | typeof PENDING {
    const entry = this.#entries[this.#at];
    if (!entry) return this.#ended ? undefined : PENDING;
    this.#at++;
    return { key: entry[0], value: entry[1] };
  }

  /** Leaves out what lies below a key; in a walk in reverse, that key and what lies above it. */
  skipTo(key: string): void {
    const isBefore = (entry: string): boolean => (this.span.reverse ? entry >= key : entry < key);
    while (this.#at < this.#entries.length && isBefore(this.#entries[this.#at]![0])) this.#at++;
    if (this.#at === this.#entries.length) this.#skipTo = key;
  }

  /** Reads more entries, where all that were read are used up. */
  async load(): Promise<void> {
    if (this.#at < this.#entries.length || this.#ended) return;
    this.#iterator ??= this.database.walk(this.view, this.span, this.values);
    if (this.#skipTo !== undefined) {
      this.#iterator.seek(this.#skipTo);
      this.#skipTo = undefined;
      this.#size = AFTER_SKIP;
    }
    this.#entries = await this.#iterator.nextv(this.#size);
    this.#at = 0;
    this.#size = Math.min(MOST, this.#size * 4);
    // it may give fewer than were asked for, but none only at the end
    if (this.#entries.length > 0) return;
    this.#ended = true;
    await this.close();
  }

  async close(): Promise<void> {
    const iterator = this.#iterator;
    this.#iterator = undefined;
    await iterator?.close();
  }
}

/** Counts the entries of a range, no further than `most`. What `check` throws ends it. */
export async function countUpTo(database: Database, view: View, span: KeySpan, most: number, check?: () => void): Promise<number> {
  const iterator = database.walk(view, span, false);
  try {
    let count = 0;
    while (count < most) {
      check?.();
      const entries = await iterator.nextv(Math.min(MOST, most - count));
      if (entries.length === 0) break;
      count += entries.length;
    }
    return count;
  } finally {
    await iterator.close();
  }
}
