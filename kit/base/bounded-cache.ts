/** A map that keeps the `limit` entries used last: texts of clients are keys, so it must not grow without end. */
export class BoundedCache<V> {
  readonly #entries = new Map<string, V>();

  constructor(readonly limit: number) {}

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

  set(key: string, value: V): V {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.limit) this.#entries.delete(this.#entries.keys().next().value!);
    return value;
  }

  /** The value of `key`, made by `make` when it is not there. What `make` throws is not kept. */
  getOrMake(key: string, make: () => V): V {
    return this.get(key) ?? this.set(key, make());
  }
}
