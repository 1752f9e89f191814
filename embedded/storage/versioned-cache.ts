interface Entry<V> {
  readonly value: V;
  /** The store's version at which the value was known to be the present one. */
  readonly version: number;
  readonly size: number;
}

/**
 * What was read lately, within a number of bytes. An entry is the present value of its key since its version: whoever changes the key changes
 * or removes the entry. A reader of an earlier version looks elsewhere.
 *
 * There are two halves; what is used in the older one moves to the younger, and when that is full the older one goes.
 */
export class VersionedCache<V> {
  #young = new Map<string, Entry<V>>();
  #old = new Map<string, Entry<V>>();
  #bytes = 0;

  /** @param bytes the most that the cache may hold */
  constructor(private readonly bytes: number) {}

  /** The value of a key for a reader at a version; undefined when it is not known here. */
  get(key: string, version: number): V | undefined {
    let entry = this.#young.get(key);
    if (!entry) {
      entry = this.#old.get(key);
      if (!entry) return undefined;
      this.#old.delete(key);
      this.#keep(key, entry);
    }
    return entry.version <= version ? entry.value : undefined;
  }

  /** Takes the present value of a key. @param size about how many bytes it holds */
  set(key: string, value: V, version: number, size: number): void {
    this.delete(key);
    this.#keep(key, { value, version, size });
  }

  #keep(key: string, entry: Entry<V>): void {
    this.#young.set(key, entry);
    this.#bytes += entry.size;
    if (this.#bytes < this.bytes / 2) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#bytes = 0;
  }

  /** Whether the present value of a key is here. */
  has(key: string): boolean {
    return this.#young.has(key) || this.#old.has(key);
  }

  delete(key: string): void {
    const entry = this.#young.get(key);
    if (entry) {
      this.#bytes -= entry.size;
      this.#young.delete(key);
    } else this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#bytes = 0;
  }
}
