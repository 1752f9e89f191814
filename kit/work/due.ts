import type { Filter, Update } from '../store/query.js';
import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { CollectionDefinition, IndexDefinition } from '../store/collection.js';
import type { Database } from '../store/database.js';
import { date, nullable, number, text } from '../store/fields.js';
import { endedTenants } from './tenant-ends.js';
import { watchFor } from './store-watch.js';
import { freeStranded } from './stranded.js';
import { Wakeup } from './wakeup.js';

/** How long work stays with a worker that gives no sign of life, in milliseconds; then another worker takes it. A worker gives three in the time. */
export const LEASE_MS = 10_000;

/** What a row carries that workers take when it is due. */
export interface DueRow {
  _id: string;
  /** Absent in collections that span tenants. */
  tenant_id?: string;
  /** From when on a worker takes it; null: there is nothing to do, and no take looks at it. */
  due_at: Date | null;
  /** The worker that has it, and until when that one is believed to live. */
  leased_by: string | null;
  leased_until: Date | null;
  /** Grows with each taking and never shrinks: what an earlier holder writes changes nothing. */
  lease_no: number;
}

/** The fields of DueRow, for the declaration of a collection. */
export const DUE_FIELDS = { due_at: nullable(date), leased_by: nullable(text), leased_until: nullable(date), lease_no: number };
/** A row that no worker has taken yet. */
export const NEVER_LEASED = { leased_by: null, leased_until: null, lease_no: 0 } as const;
/** What a row is set to when whoever has it is to lose it. */
export const LEASE_REVOKED = { $set: { leased_by: null, leased_until: null }, $inc: { lease_no: 1 } } as const;
/** The index of every collection that is worked off: rows with nothing to do lie before all that is due, and are never read. */
export const DUE_INDEX: IndexDefinition = { key: { due_at: 1 }, acrossTenants: true };

/** How a piece of work ended: when its row is due next, and what else changes. */
export interface Outcome<T extends DueRow> {
  /** Null when there is nothing more to do. */
  due_at: Date | null;
  set?: Partial<T>;
  /** What of the row this was decided on. Where it has changed since, `due_at` stays as it is, and the row is worked off again. */
  when?: Filter;
}

/** A row in the hands of this process. */
export interface Taken<T extends DueRow> {
  /** As it is stored since it was taken. */
  row: T;
  /** Aborted when the process stops, its grace is over, or another worker has taken the row. */
  signal: AbortSignal;
  /** Aborted when another worker has taken the row. */
  lost: AbortSignal;
  /** Whether the lease still runs. After a process has stood still it may have ended before `lost` says so. */
  isHeld(): boolean;
}

/** Work on the rows of one collection. */
export interface DueWork<T extends DueRow> {
  readonly name: string;
  readonly collection: CollectionDefinition<T>;
  /** Which due rows are meant; all when absent. */
  readonly where?: Filter;
  /** Rows in work at a time: in this process, and of one tenant. */
  readonly atATime: number;
  readonly ofATenant?: number;
  /** What else changes when a row is taken, and what undoes it when the process stops in the middle. */
  readonly onTake?: Update;
  readonly onGiveBack?: Update;
  /** Wakes the loop when rows become due in this process. */
  readonly wakeup?: Wakeup;
  /** Milliseconds: between two looks of the process for what is due (1 s), of a lease without a sign of life, of work in flight after a stop (none). */
  readonly pollMs?: number;
  readonly leaseMs?: number;
  readonly graceMs?: number;
  /** How far ahead a row is due at most that nobody has, in milliseconds: what lies farther was written by a clock that was ahead. No bound when absent. */
  readonly farthestMs?: number;
  /** Does what is due. It may be called again for the same row after a crash, so it must be idempotent. Null: the row is not this worker's any more. */
  run(taken: Taken<T>): Promise<Outcome<T> | null>;
  /** What follows from an error of `run`: the next try and its note, or the end. */
  failed(taken: Taken<T>, error: unknown): Outcome<T> | null | Promise<Outcome<T> | null>;
}

/** What the loop works with. */
export interface DueServices {
  readonly database: Database;
  /** The store's time, by which rows are due and leases end: the clocks of workers may differ. */
  readonly storeClock: Clock;
  readonly logger: Logger;
}

/** Milliseconds to wait after so many failures in a row (1 is the first): one step each; the last one is repeated. */
export const backOff = (steps: readonly number[], failures: number): number => steps[Math.min(failures, steps.length) - 1]!;

/** The row that `row` is, while it is still in the hands of whoever took it so. */
export const heldBy = ({ _id, leased_by, lease_no }: DueRow): Filter => ({ _id, leased_by, lease_no });

/** Due rows that nobody has, or whose worker is silent. The first condition bounds what the index is asked for. */
export const takeable = (now: Date): Filter => ({ due_at: { $lte: now }, leased_until: { $not: { $gt: now } } });

/**
 * Takes rows as they become due, those that have waited longest first, and has them worked off until `stopping` is aborted. A row is in one
 * worker's hands at a time; rows of ended tenants are left alone. Work in flight is waited for, and what it does not end is given back.
 * @returns when the last piece of work has ended
 */
export async function workOffDue<T extends DueRow>(services: DueServices, work: DueWork<T>, stopping: AbortSignal): Promise<void> {
  const { database, storeClock, logger } = services;
  const { wakeup = new Wakeup(), atATime, ofATenant = Infinity, pollMs = 1_000 } = work;
  const running = new Map<Promise<void>, string | undefined>();
  const ending = afterGrace(stopping, work.graceMs ?? 0);
  const start = (row: T) => {
    const one: Promise<void> = workOn(services, work, row, stopping, ending)
      .catch((error: unknown) => logger.error({ err: error, work: work.name, row: row._id }, 'the end of a piece of work was not stored'))
      .finally(() => {
        running.delete(one);
        wakeup.wake();
      });
    running.set(one, row.tenant_id);
  };
  const unreadable = (error: unknown) => logger.warn({ err: error, work: work.name }, 'what is due cannot be read');
  const endWatch = watchFor(database, {
    collection: work.collection,
    condition: () => ({ ...work.where, ...takeable(storeClock.now()) }),
    everyMs: pollMs,
    found: () => wakeup.wake(),
    failed: unreadable,
  });
  const endFreeing = freeStranded(services, { ...work, leaseMs: work.leaseMs ?? LEASE_MS }, unreadable);
  while (!stopping.aborted) {
    const turn = wakeup.turn;
    const row =
      running.size < atATime
        ? await takeDue(services, work, atLimit([...running.values()], ofATenant)).catch((error: unknown) => {
            unreadable(error);
            return null;
          })
        : null;
    if (row) start(row);
    else await wakeup.sleep(null, stopping, turn);
  }
  endWatch();
  endFreeing();
  await Promise.all(running.keys());
}

/** Tenants of which no more is taken at the moment. */
const atLimit = (tenantIds: readonly (string | undefined)[], most: number): string[] =>
  [...new Set(tenantIds)].filter((id) => id !== undefined && tenantIds.filter((other) => other === id).length >= most) as string[];

function afterGrace(stopping: AbortSignal, graceMs: number): AbortSignal {
  if (graceMs === 0) return stopping;
  const ending = new AbortController();
  stopping.addEventListener('abort', () => setTimeout(() => ending.abort(stopping.reason), graceMs).unref());
  return ending.signal;
}

/**
 * Takes the row that has been due for longest.
 * @param without tenants whose rows are left alone, beside those that were ended
 * @returns null when nothing is due
 */
export async function takeDue<T extends DueRow>(
  { database, storeClock }: Pick<DueServices, 'database' | 'storeClock'>,
  work: Pick<DueWork<T>, 'collection' | 'where' | 'onTake' | 'leaseMs'>,
  without: readonly string[] = [],
): Promise<T | null> {
  const { collection, where, onTake = {}, leaseMs = LEASE_MS } = work;
  const rows = database.system(collection);
  // a loop finds nothing most of the time, and a read tells that at a fraction of what an update costs
  if (!(await rows.findOne({ ...where, ...takeable(storeClock.now()) }, { fields: ['_id'] }))) return null;
  const tenants = collection.scope === 'system' ? {} : { tenant_id: { $nin: [...without, ...(await endedTenants(database))] } };
  const now = storeClock.now();
  const lease = { leased_by: randomUUID(), leased_until: new Date(now.getTime() + leaseMs) };
  const update = { ...onTake, $set: { ...(onTake['$set'] as object), ...lease }, $inc: { ...(onTake['$inc'] as object), lease_no: 1 } };
  return rows.findAndUpdate({ ...where, ...takeable(now), ...tenants }, update, { sort: { due_at: 1 }, returnNew: true });
}

async function workOn<T extends DueRow>(
  services: DueServices,
  work: DueWork<T>,
  row: T,
  stopping: AbortSignal,
  ending: AbortSignal,
): Promise<void> {
  const lease = new Lease(services, work, row);
  // taken while the process began to stop
  if (stopping.aborted) return lease.giveBack();
  const taken = { row, lost: lease.lost, signal: AbortSignal.any([ending, lease.lost]), isHeld: () => lease.isHeld() };
  try {
    const outcome = await work.run(taken).catch((error: unknown) => {
      if (taken.lost.aborted) return null;
      return ending.aborted ? 'stopped' : work.failed(taken, error);
    });
    if (outcome === 'stopped') await lease.giveBack();
    else if (outcome) await lease.end(outcome);
  } finally {
    lease.stopExtending();
  }
}

/** The time for which a row belongs to this worker. */
class Lease<T extends DueRow> {
  private readonly losing = new AbortController();
  private readonly heartbeat: NodeJS.Timeout;
  private readonly leaseMs: number;
  private until: number;

  constructor(
    private readonly services: DueServices,
    private readonly work: DueWork<T>,
    private readonly row: T,
  ) {
    this.leaseMs = work.leaseMs ?? LEASE_MS;
    this.until = row.leased_until!.getTime();
    this.heartbeat = setInterval(() => void this.extend(), this.leaseMs / 3);
  }

  get lost(): AbortSignal {
    return this.losing.signal;
  }

  isHeld(): boolean {
    return !this.lost.aborted && this.services.storeClock.now().getTime() < this.until;
  }

  stopExtending(): void {
    clearInterval(this.heartbeat);
  }

  async end({ due_at, set, when }: Outcome<T>): Promise<void> {
    const ended = { ...set, leased_by: null, leased_until: null };
    if ((await this.write({ $set: { ...ended, due_at } }, when)) || !when) return;
    await this.write({ $set: ended });
  }

  /** Lets another worker take the row at once, as if this one had not. */
  async giveBack(): Promise<void> {
    this.stopExtending();
    const { onGiveBack = {} } = this.work;
    await this.write({ ...onGiveBack, $set: { ...(onGiveBack['$set'] as object), leased_by: null, leased_until: null } });
  }

  private async extend(): Promise<void> {
    const until = this.services.storeClock.now().getTime() + this.leaseMs;
    // what fails here is tried again before the lease ends
    const held = await this.write({ $set: { leased_until: new Date(until) } }).catch(() => null);
    if (held) this.until = until;
    else if (held === false || !this.isHeld()) this.losing.abort(new Error(`${this.work.name}: ${this.row._id} was taken over`));
  }

  /** @returns false when the row is not this worker's any more */
  private async write(update: Update, when: Filter = {}): Promise<boolean> {
    const { collection } = this.work;
    const { database } = this.services;
    const rows = collection.scope === 'system' ? database.system(collection) : database.tenant(this.row.tenant_id!).collection(collection);
    return (await rows.update({ ...when, ...heldBy(this.row) }, update)).matched > 0;
  }
}
