import { CommandError } from './errors.js';
import type { Collection } from './storage/collection.js';
import type { View } from './storage/database.js';
import type { Index } from './storage/index.js';

/** How long a transaction may stay open, as in MongoDB (transactionLifetimeLimitSeconds). */
export const TRANSACTION_LIFETIME_MS = 60_000;

/** What a transaction has written to one collection: the new bytes of a document, or null for a deleted one. */
export type Overlay = Map<string, Buffer | null>;

/**
 * Changes that belong together: those of a client's transaction, or of one write command. They lie beside the collections until they are
 * committed, so that nobody else sees them and an abort has nothing to undo. Each document that is written is locked until the end.
 */
export class Transaction {
  readonly overlays = new Map<Collection, Overlay>();
  readonly startedAt = Date.now();
  /** Settles when the transaction has ended, either way. */
  readonly ended: Promise<void>;
  open = true;
  #end: () => void = () => undefined;
  readonly #reserved = new Map<Collection, Map<string, { index: Index; values: string }[]>>();

  /** @param view what a client's transaction reads, released at its end; null for a write command, which reads what is there now */
  constructor(readonly view: View | null) {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** The transaction's own version of a document: bytes, null when deleted, undefined when untouched. */
  ownVersion(collection: Collection, idKey: string): Buffer | null | undefined {
    return this.overlays.get(collection)?.get(idKey);
  }

  /** Writes a document (null deletes it), locks it, and holds the unique values that it takes. */
  write(collection: Collection, idKey: string, bytes: Buffer | null, unique: readonly { index: Index; values: string }[]): void {
    let overlay = this.overlays.get(collection);
    if (!overlay) this.overlays.set(collection, (overlay = new Map()));
    this.#release(collection, idKey);
    overlay.set(idKey, bytes);
    collection.locks.set(idKey, this);
    for (const { index, values } of unique) index.reserved.set(values, { owner: this, idKey });
    let reserved = this.#reserved.get(collection);
    if (!reserved) this.#reserved.set(collection, (reserved = new Map()));
    reserved.set(idKey, [...unique]);
  }

  #release(collection: Collection, idKey: string): void {
    for (const { index, values } of this.#reserved.get(collection)?.get(idKey) ?? []) index.reserved.delete(values);
    this.#reserved.get(collection)?.delete(idKey);
  }

  /** Ends the transaction: its locks go, and who waited for them goes on. Without a commit before it, an abort. */
  finish(): void {
    if (!this.open) return;
    this.open = false;
    for (const [collection, overlay] of this.overlays) {
      for (const idKey of overlay.keys()) {
        this.#release(collection, idKey);
        if (collection.locks.get(idKey) === this) collection.locks.delete(idKey);
      }
    }
    this.overlays.clear();
    this.view?.release();
    this.#end();
  }
}

/** The error for a transaction that is not open (any more). */
export function noSuchTransaction(txnNumber: number | bigint): CommandError {
  return new CommandError(251, `Given transaction number ${txnNumber} does not match any in-progress transactions.`, {}, [
    'TransientTransactionError',
  ]);
}
