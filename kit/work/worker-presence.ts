import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import { defineSystemCollection, type RowOf } from '../store/collection.js';
import type { Database } from '../store/database.js';
import { date } from '../store/fields.js';
import { Wakeup } from './wakeup.js';

/** The processes that take jobs, each by a name of its own; a row stays for a day after its process. */
export const workerPresence = defineSystemCollection('workers', { started_at: date, seen_at: date });

/** How often a worker gives a sign of life, and for how long one counts as there without one; milliseconds. */
const SIGN_EVERY = 5_000;
export const GONE_AFTER = 20_000;
const FORGET_AFTER = 86_400_000;

interface PresenceServices {
  readonly database: Database;
  /** The store's time: the clocks of workers may differ. */
  readonly storeClock: Clock;
}

/** Gives signs of life of this process until `signal` is aborted, and then says that it is gone. */
export async function showPresence({ database, storeClock }: PresenceServices, signal: AbortSignal): Promise<void> {
  const rows = database.system(workerPresence);
  const pause = new Wakeup();
  const _id = randomUUID();
  const started_at = storeClock.now();
  await rows.remove({ seen_at: { $lt: new Date(started_at.getTime() - FORGET_AFTER) } });
  while (!signal.aborted) {
    await rows.update({ _id }, { $set: { seen_at: storeClock.now() }, $setOnInsert: { started_at } }, { upsert: true });
    await pause.sleep(SIGN_EVERY, signal);
  }
  await rows.remove({ _id });
}

/** How many workers are there, and where none is, when the last one gave a sign of life; null when none ever did, or all were stopped. */
export async function seeWorkers({ database, storeClock }: PresenceServices): Promise<{ seen: number; last_seen_at: Date | null }> {
  const rows: RowOf<typeof workerPresence>[] = await database.system(workerPresence).find({});
  const since = storeClock.now().getTime() - GONE_AFTER;
  const times = rows.map(({ seen_at }) => seen_at.getTime());
  const seen = times.filter((time) => time >= since).length;
  return { seen, last_seen_at: seen === 0 && times.length > 0 ? new Date(Math.max(...times)) : null };
}
