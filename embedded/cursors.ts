import type { Socket } from 'node:net';
import { CommandError } from './errors.js';
import type { Operation } from './operation.js';
import type { Transaction } from './transactions.js';

/** A reply's documents together stay below this size. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024 - 64 * 1024;
/** MongoDB closes a cursor that nobody asked for in ten minutes. */
const IDLE_MS = 10 * 60_000;

/** Gives raw documents, some at a time. Ending the iteration early lets go of what it holds. */
export type DocumentStream = AsyncGenerator<Buffer[], void, undefined>;

/** A stream over documents that are already there. */

export async function* streamOf(documents: readonly Buffer[]): DocumentStream {
  if (documents.length > 0) yield [...documents];
}

interface OpenCursor {
  readonly namespace: string;
  readonly batches: BatchReader;
  readonly transaction: Transaction | undefined;
  readonly operation: Operation;
  usedAt: number;
}

/** Cuts a stream into the batches of replies; knows whether there is more. */
export class BatchReader {
  #ahead: Buffer[] = [];
  #at = 0;

  constructor(private readonly stream: DocumentStream) {}

  /** Up to `size` documents, within the size of a reply. */
  async read(size: number): Promise<Buffer[]> {
    const batch: Buffer[] = [];
    let bytes = 0;
    while (batch.length < size && (await this.hasMore())) {
      const document = this.#ahead[this.#at]!;
      if (batch.length > 0 && bytes + document.length > MAX_BATCH_BYTES) break;
      this.#at++;
      batch.push(document);
      bytes += document.length;
    }
    return batch;
  }

  /** Whether a further document waits; reads ahead to know. */
  async hasMore(): Promise<boolean> {
    while (this.#at >= this.#ahead.length) {
      const next = await this.stream.next();
      if (next.done) return false;
      this.#ahead = next.value;
      this.#at = 0;
    }
    return true;
  }

  async close(): Promise<void> {
    await this.stream.return();
  }
}

/** The open cursors of all connections. */
export class Cursors {
  readonly #open = new Map<number, OpenCursor>();
  #nextId = Math.floor(Math.random() * 2 ** 40) + 1;

  /** Keeps what is left of a stream; answers the cursor's id, 0 when nothing is left. */
  async keep(
    namespace: string,
    batches: BatchReader,
    { transaction, operation }: Pick<OpenCursor, 'transaction' | 'operation'>,
  ): Promise<number> {
    if (!(await batches.hasMore())) return 0;
    const id = this.#nextId++;
    this.#open.set(id, { namespace, batches, transaction, operation, usedAt: Date.now() });
    return id;
  }

  /** The next batch of a cursor and its id, 0 when it is exhausted. Throws CursorNotFound. */
  async more(id: number, namespace: string, size: number, client: Socket): Promise<{ batch: Buffer[]; id: number }> {
    const cursor = this.#open.get(id);
    if (!cursor || (cursor.transaction && !cursor.transaction.open)) throw new CommandError(43, `cursor id ${id} not found`);
    if (cursor.namespace !== namespace)
      throw new CommandError(
        13,
        `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.namespace}`,
      );
    cursor.usedAt = Date.now();
    cursor.operation.restart(client);
    const batch = await cursor.batches.read(size);
    const open = await cursor.batches.hasMore();
    if (!open) this.#open.delete(id);
    return { batch, id: open ? id : 0 };
  }

  /** Closes a cursor; answers whether it was open. */
  kill(id: number): boolean {
    const cursor = this.#open.get(id);
    void cursor?.batches.close();
    return this.#open.delete(id);
  }

  /** Closes cursors that have been idle too long. */
  sweep(now = Date.now()): void {
    for (const [id, cursor] of this.#open) if (now - cursor.usedAt > IDLE_MS) this.kill(id);
  }

  /** Closes all cursors. */
  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((cursor) => cursor.batches.close()));
    this.#open.clear();
  }

  get size(): number {
    return this.#open.size;
  }
}
