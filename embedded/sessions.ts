import type { Reply } from './commands/command.js';
import { CommandError } from './errors.js';
import type { Transaction } from './transactions.js';
import { noSuchTransaction, TRANSACTION_LIFETIME_MS } from './transactions.js';
import type { Store } from './storage/store.js';

const SESSION_TIMEOUT_MS = 30 * 60_000;

/** A logical session: its transaction, or the answer of its last retryable write. */
export class Session {
  usedAt = Date.now();
  txnNumber = -1n;
  transaction: Transaction | undefined;
  /** The commit under `txnNumber`, kept for a client that did not receive its answer. */
  committing: Promise<void> | undefined;
  /** The answer of the write under `txnNumber`, kept for a client that did not receive it. */
  retryable: Promise<Reply> | undefined;
  /** The connection that used the transaction last. */
  connection: object | undefined;
}

/** The sessions of all connections, by lsid. */
export class Sessions {
  readonly #sessions = new Map<string, Session>();

  constructor(private readonly store: Store) {}

  get(id: string): Session {
    let session = this.#sessions.get(id);
    if (!session) this.#sessions.set(id, (session = new Session()));
    session.usedAt = Date.now();
    return session;
  }

  /** The transaction that a command belongs to, begun now when the command says so. Throws NoSuchTransaction. */
  transactionOf(session: Session, txnNumber: bigint, start: boolean, connection: object): Transaction {
    this.#assertCurrent(session, txnNumber);
    if (start) {
      if (txnNumber === session.txnNumber && (session.transaction || session.committing)) {
        throw new CommandError(
          263,
          `Cannot start a transaction at given transaction number ${txnNumber}: a transaction with the same number is already in progress`,
        );
      }
      this.abort(session);
      session.txnNumber = txnNumber;
      session.committing = undefined;
      session.retryable = undefined;
      session.transaction = this.store.beginTransaction();
    }
    if (!session.transaction?.open || session.txnNumber !== txnNumber) throw noSuchTransaction(txnNumber);
    session.connection = connection;
    return session.transaction;
  }

  /** Throws TransactionTooOld for a number below the session's. */
  #assertCurrent(session: Session, txnNumber: bigint): void {
    if (txnNumber < session.txnNumber) {
      throw new CommandError(
        225,
        `Cannot start transaction ${txnNumber} because a newer transaction ${session.txnNumber} has already started.`,
      );
    }
  }

  /** Runs a retryable write once for its number; a repetition gets the first answer. */
  once(session: Session, txnNumber: bigint, run: () => Promise<Reply>): Promise<Reply> {
    this.#assertCurrent(session, txnNumber);
    if (session.txnNumber === txnNumber && session.retryable) return session.retryable;
    this.abort(session);
    session.txnNumber = txnNumber;
    session.committing = undefined;
    const reply = run();
    session.retryable = reply;
    reply.catch(() => {
      if (session.retryable === reply) session.retryable = undefined;
    });
    return reply;
  }

  /** Commits; a repeated commit of the same transaction is answered as the first. Throws NoSuchTransaction. */
  async commit(session: Session, txnNumber: bigint): Promise<void> {
    if (session.txnNumber === txnNumber && session.committing) return session.committing;
    const { transaction } = session;
    if (!transaction?.open || session.txnNumber !== txnNumber) throw noSuchTransaction(txnNumber);
    session.transaction = undefined;
    const committing = this.store.commit(transaction);
    session.committing = committing;
    try {
      await committing;
    } catch (error) {
      transaction.finish();
      if (session.committing === committing) session.committing = undefined;
      throw error;
    }
  }

  /** Aborts the session's open transaction, if it has one; answers whether it had. */
  abort(session: Session): boolean {
    const open = session.transaction?.open === true;
    session.transaction?.finish();
    session.transaction = undefined;
    return open;
  }

  end(id: string): void {
    const session = this.#sessions.get(id);
    if (session) this.abort(session);
    this.#sessions.delete(id);
  }

  /** Aborts the transactions of a connection that has gone. */
  connectionClosed(connection: object): void {
    for (const session of this.#sessions.values()) if (session.connection === connection) this.abort(session);
  }

  /** Aborts transactions that are open too long, and forgets sessions that nobody uses. */
  sweep(now = Date.now()): void {
    for (const [id, session] of this.#sessions) {
      if (session.transaction && now - session.transaction.startedAt > TRANSACTION_LIFETIME_MS) this.abort(session);
      if (now - session.usedAt > SESSION_TIMEOUT_MS) this.end(id);
    }
  }
}
