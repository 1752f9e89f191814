import type { CollectionDefinition } from '../store/collection.js';
import { defineCollection } from '../store/collection.js';
import { date, nullable, text } from '../store/fields.js';
import type { TransactionOf } from '../store/query.js';
import { nextFiring, type Timetable } from './cron.js';
import { DUE_FIELDS, DUE_INDEX, heldBy, NEVER_LEASED, type DueRow, type DueServices, type DueWork } from './due.js';

/** What a row carries that fires by a timetable. */
export interface ScheduledRow extends DueRow {
  tenant_id: string;
  /** Null: it never fires by itself. */
  cron: string | null;
  time_zone: string | null;
  /** The firing that it waits for; null while it waits for none. */
  next_run_at: Date | null;
}

/** The fields of ScheduledRow, for the declaration of a collection. */
export const SCHEDULED_FIELDS = { ...DUE_FIELDS, cron: nullable(text), time_zone: nullable(text), next_run_at: nullable(date) };
export const SCHEDULED_INDEX = DUE_INDEX;

/** The firings that were claimed, one row each: its id names schedule and moment, so that two workers cannot both have it. List it among an engine's collections. */
export const firings = defineCollection('schedule_firings', { schedule_id: text, claimed_at: date }, [
  { key: { claimed_at: 1 }, options: { name: 'forgotten', expireAfterSeconds: 90 * 86_400 } },
]);

/** What a row is set to so that it fires from now on; with null, or while `enabled` is not, it waits for nothing. */
export function timed(timetable: Timetable | null, enabled: boolean, now: Date) {
  const next = timetable && enabled ? nextFiring(timetable, now) : null;
  return { cron: timetable?.cron ?? null, time_zone: timetable?.time_zone ?? null, next_run_at: next, due_at: next };
}

/** A row that no worker has taken yet, as `timed`. */
export const newlyTimed = (timetable: Timetable | null, enabled: boolean, now: Date) => ({
  ...timed(timetable, enabled, now),
  ...NEVER_LEASED,
});

/** What follows from a firing. */
export interface Begun<T> {
  /** What else changes on the row. */
  readonly set?: Partial<T>;
  /** Makes it wait for nothing more. */
  readonly isPaused?: boolean;
}

/** What fires by timetable: a collection, and what begins when one of its rows does. */
export interface ScheduledWork<T extends ScheduledRow> {
  readonly name: string;
  readonly collection: CollectionDefinition<T>;
  /** Rows begun at a time; 4 when absent. */
  readonly atATime?: number;
  /**
   * Begins what a firing is for, within the transaction that claims it: adds a job, say. Only a store's error may make it throw.
   */
  begin(row: T, firing: Date, transaction: TransactionOf): Promise<Begun<T>>;
  /** After a claim was committed: wake who is to work. */
  begun?(): void;
}

/** Milliseconds until a firing that could not be begun is tried again. */
const RETRY = 60_000;

/**
 * The work of firing rows by their timetables, for `workOffDue`. Each firing is claimed by a row of its own in the transaction of what it begins, so it begins once,
 * also when its worker dies in between. Firings that were missed, because no worker ran, begin once together.
 */
export function scheduledWork<T extends ScheduledRow>(services: DueServices, work: ScheduledWork<T>): DueWork<T> {
  const { storeClock, logger } = services;
  return {
    name: work.name,
    collection: work.collection,
    atATime: work.atATime ?? 4,
    async run({ row }) {
      const { next_run_at: firing } = row;
      if (firing === null) return { due_at: null };
      const isDone = await fire(services, work, row, firing);
      if (isDone) work.begun?.();
      // a row that was given another timetable meanwhile keeps the moment of that; otherwise all is written, and the lease ended
      return isDone ? null : { due_at: null, when: { next_run_at: firing } };
    },
    failed({ row }, error) {
      logger.error({ err: error, work: work.name, row: row._id }, 'a firing could not be begun');
      return { due_at: new Date(storeClock.now().getTime() + RETRY) };
    },
  };
}

/**
 * Claims a firing, begins what it is for, and lets the row wait for the next.
 * @returns false when the row is not as it was taken any more
 */
async function fire<T extends ScheduledRow>(services: DueServices, work: ScheduledWork<T>, row: T, firing: Date): Promise<boolean> {
  const { database, storeClock } = services;
  const tenant = database.tenant(row.tenant_id);
  const claims = tenant.collection(firings);
  const _id = `${row.tenant_id}|${work.name}|${row._id}|${firing.toISOString()}`;
  return database
    .transaction(async (transaction) => {
      const now = storeClock.now();
      const isNew = !(await claims.findOne({ _id }, { fields: ['_id'], transaction }));
      if (isNew) await claims.insert({ _id, tenant_id: row.tenant_id, schedule_id: row._id, claimed_at: now }, { transaction });
      const { set, isPaused }: Begun<T> = isNew ? await work.begin(row, firing, transaction) : {};
      const { cron, time_zone } = row;
      const next = isPaused || cron === null || time_zone === null ? null : nextFiring({ cron, time_zone }, now);
      const after = { ...set, next_run_at: next, due_at: next, leased_by: null, leased_until: null };
      // fenced: where another worker has the row, or a person changed its timetable, nothing of all this happens
      const still = { ...heldBy(row), next_run_at: firing };
      const { matched } = await tenant.collection(work.collection).update(still, { $set: after }, { transaction });
      if (matched === 0) throw new NotAsTaken();
      return true;
    })
    .catch((error: unknown) => {
      if (error instanceof NotAsTaken) return false;
      throw error;
    });
}

class NotAsTaken extends Error {}
