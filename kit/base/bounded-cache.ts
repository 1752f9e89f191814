/** A map that keeps the entries used last: texts of clients are keys, so it must not grow without end. */
export class BoundedCache<V> {
  readonly #entries = new Map<string, V>();
  #used = 0;

  /**
   * @param limit what all entries together may count: their number, or by `costOf` their bytes
   * @param costOf what one entry counts; the same for a key as long as it is kept
   */
  constructor(
    readonly limit: number,
    readonly costOf: (key: string) => number = () => 1,
  ) {}

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** Keeps `value` in place of what was used longest ago; not at all when it alone is more than the limit. */
  set(key: string, value: V): V {
    this.#drop(key);
    if (this.costOf(key) > this.limit) return value;
    this.#entries.set(key, value);
    this.#used += this.costOf(key);
    while (this.#used > this.limit) this.#drop(this.#entries.keys().next().value!);
    return value;
  }

  /** The value of `key`, made by `make` when it is not there. What `make` throws is not kept. */
  getOrMake(key: string, make: () => V): V {
    return this.get(key) ?? this.set(key, make());
  }

  #drop(key: string): void {
    if (this.#entries.delete(key)) this.#used -= this.costOf(key);
  }
}
