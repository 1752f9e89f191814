import { CommandError } from './errors.js';
import type { Transaction } from './transactions.js';

/** A reply's documents together stay below this size. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024 - 64 * 1024;
/** MongoDB closes a cursor that nobody asked for in ten minutes. */
const IDLE_MS = 10 * 60_000;

/** Gives raw documents one at a time. `pause` is called between batches. */
export interface DocumentStream {
  next(): Buffer | undefined;
  pause(): void;
}

/** A stream over documents that are already there. */
export function streamOf(documents: readonly Buffer[]): DocumentStream {
  let at = 0;
  return { next: () => documents[at++], pause: () => undefined };
}

interface OpenCursor {
  readonly namespace: string;
  readonly batches: BatchReader;
  readonly transaction: Transaction | undefined;
  usedAt: number;
}

/** Cuts a stream into batches; knows whether there is more. */
export class BatchReader {
  #ahead: Buffer | undefined;

  constructor(private readonly stream: DocumentStream) {}

  /** Up to `size` documents (0 for none), within the size of a reply. */
  read(size: number): Buffer[] {
    const batch: Buffer[] = [];
    let bytes = 0;
    while (batch.length < size) {
      const document = this.#ahead ?? this.stream.next();
      this.#ahead = undefined;
      if (!document) break;
      if (batch.length > 0 && bytes + document.length > MAX_BATCH_BYTES) {
        this.#ahead = document;
        break;
      }
      batch.push(document);
      bytes += document.length;
    }
    return batch;
  }

  /** Whether a further document waits; reads ahead by one to know. */
  hasMore(): boolean {
    this.#ahead ??= this.stream.next();
    if (this.#ahead) this.stream.pause();
    return this.#ahead !== undefined;
  }
}

/** The open cursors of all connections. */
export class Cursors {
  readonly #open = new Map<number, OpenCursor>();
  #nextId = Math.floor(Math.random() * 2 ** 40) + 1;

  /** Keeps what is left of a stream; answers the cursor's id, 0 when nothing is left. */
  keep(namespace: string, batches: BatchReader, transaction: Transaction | undefined): number {
    if (!batches.hasMore()) return 0;
    const id = this.#nextId++;
    this.#open.set(id, { namespace, batches, transaction, usedAt: Date.now() });
    return id;
  }

  /** The next batch of a cursor and its id, 0 when it is exhausted. Throws CursorNotFound. */
  more(id: number, namespace: string, size: number): { batch: Buffer[]; id: number } {
    const cursor = this.#open.get(id);
    if (!cursor || (cursor.transaction && !cursor.transaction.open)) throw new CommandError(43, `cursor id ${id} not found`);
    if (cursor.namespace !== namespace)
      throw new CommandError(
        13,
        `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.namespace}`,
      );
    cursor.usedAt = Date.now();
    const batch = cursor.batches.read(size);
    const open = cursor.batches.hasMore();
    if (!open) this.#open.delete(id);
    return { batch, id: open ? id : 0 };
  }

  /** Closes a cursor; answers whether it was open. */
  kill(id: number): boolean {
    return this.#open.delete(id);
  }

  /** Closes cursors that have been idle too long. */
  sweep(now = Date.now()): void {
    for (const [id, cursor] of this.#open) if (now - cursor.usedAt > IDLE_MS) this.#open.delete(id);
  }

  get size(): number {
    return this.#open.size;
  }
}
