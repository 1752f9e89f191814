import type { Database } from '../store/database.js';
import type { TransactionOf } from '../store/query.js';

/** Tells loops of this process that there is work; loops of other processes find it by looking now and then (store-watch.ts). */
export class Wakeup {
  private turns = 0;
  private readonly waiting = new Set<() => void>();
  private readonly announced = new WeakSet<TransactionOf>();

  /** Grows with every `wake`. Read it before looking for work and pass it to `sleep`, so that no call in between is missed. */
  get turn(): number {
    return this.turns;
  }

  wake(): void {
    this.turns++;
    for (const wake of this.waiting) wake();
  }

  /** Wakes once `transaction` has ended, whichever way. */
  wakeAfter(transaction: TransactionOf): void {
    if (this.announced.has(transaction)) return;
    this.announced.add(transaction);
    transaction.once('ended', () => this.wake());
  }

  /** Resolves after `milliseconds` (null: never by itself), when woken, when `signal` is aborted, or at once when there was a call of `wake` after `turn` was read. */
  async sleep(milliseconds: number | null, signal: AbortSignal, turn = this.turns): Promise<void> {
    if (signal.aborted || turn !== this.turns) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = milliseconds === null ? undefined : setTimeout(done, milliseconds);
      this.waiting.add(done);
      signal.addEventListener('abort', done);
    });
  }
}

/** One wake-up a kind of work and store: who adds work and who does it meet here without knowing each other. */
export function wakeupPerDatabase(): (database: Database) => Wakeup {
  const known = new WeakMap<Database, Wakeup>();
  return (database) => {
    const wakeup = known.get(database) ?? new Wakeup();
    known.set(database, wakeup);
    return wakeup;
  };
}
