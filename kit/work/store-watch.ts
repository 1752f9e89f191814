import { mongo } from 'mongoose';
import type { AnyCollection } from '../store/collection.js';
import type { Database } from '../store/database.js';
import type { Filter } from '../store/query.js';

/** Rows that a loop waits for: other processes write them, or they become due with time. */
export interface Awaited {
  readonly collection: AnyCollection;
  /** Which rows, at the moment of a look. */
  condition(): Filter;
  /** Milliseconds between two looks. */
  readonly everyMs: number;
  /** Called after each look that met such rows. */
  found(): void;
  /** Called when the store could not be asked; the next look comes all the same. */
  failed(error: unknown): void;
}

/** Looks for what the loops of a process wait for: they ask the store together, so that many loops without work cost hardly more than one. */
class StoreWatch {
  /** When the next look of each is due, by the clock of `performance`. */
  private readonly awaited = new Map<Awaited, number>();
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;

  constructor(private readonly database: Database) {}

  /** Looks for `rows` until what it returns is called. */
  add(rows: Awaited): () => void {
    this.awaited.set(rows, performance.now() + rows.everyMs);
    this.schedule();
    return () => {
      this.awaited.delete(rows);
      this.schedule();
    };
  }

  private schedule(): void {
    clearTimeout(this.timer);
    if (this.isLooking || this.awaited.size === 0) return;
    const next = Math.min(...this.awaited.values());
    this.timer = setTimeout(() => void this.look(), Math.max(0, next - performance.now()));
  }

  private async look(): Promise<void> {
    this.isLooking = true;
    const now = performance.now();
    // whose own look would come shortly is asked for along with the others
    const asked = [...this.awaited].filter(([{ everyMs }, at]) => at <= now + everyMs / 4).map(([rows]) => rows);
    await this.tell(asked);
    const later = performance.now();
    for (const rows of asked) if (this.awaited.has(rows)) this.awaited.set(rows, later + rows.everyMs);
    this.isLooking = false;
    this.schedule();
  }

  private async tell(asked: readonly Awaited[]): Promise<void> {
    try {
      for (const { n } of await this.present(asked)) {
        const rows = asked[n]!;
        if (this.awaited.has(rows)) rows.found();
      }
    } catch (error) {
      // a store that refuses what one of them asks still answers the others
      if (asked.length > 1 && error instanceof mongo.MongoServerError) for (const rows of asked) await this.tell([rows]);
      else asked[0]?.failed(error);
    }
  }

  /** The places in `asked` of those that there are rows of, by one command. */
  private async present(asked: readonly Awaited[]): Promise<{ n: number }[]> {
    const [first, ...others] = asked.map(({ collection, condition }, n) => ({
      collection,
      pipeline: [{ $match: condition() }, { $limit: 1 }, { $project: { _id: 0, n: { $literal: n } } }],
    }));
    if (!first) return [];
    const unions = others.map(({ collection, pipeline }) => ({ $unionWith: { coll: collection.name, pipeline } }));
    return this.database.system(first.collection).aggregateAcross([...first.pipeline, ...unions]);
  }
}

const watches = new WeakMap<Database, StoreWatch>();

/** Looks for rows in `database` now and then, together with all else that is waited for there. @returns how to end it */
export function watchFor(database: Database, rows: Awaited): () => void {
  const watch = watches.get(database) ?? new StoreWatch(database);
  watches.set(database, watch);
  return watch.add(rows);
}
