import type { JobRun } from '../../kit/engine/job.js';
import type { CancelWatch } from './cancel-watch.js';
import { changeRunRow, type RunChange } from './events/write.js';
import { scanRuns, type RunProgress, type ScanRunRow } from './records.js';
import type { StageClock } from './stages.js';

/** How often a run tells how far it is, in milliseconds, however quickly its batches follow each other, and how often with an event that is kept. */
export const TELL_EVERY = 250;
const EVENT_EVERY = 2_000;

/** Does what is asked for unless it was done less than `milliseconds` ago: for news that the next one replaces. */
export function everySoOften<T>(milliseconds: number, work: (value: T) => Promise<void>): (value: T) => Promise<void> {
  let last = -milliseconds;
  return async (value) => {
    if (performance.now() - last < milliseconds) return;
    last = performance.now();
    await work(value);
  };
}

/** Stores how far a run is, and learns whether a person has stopped it. */
export function progressTeller({ context }: JobRun, run: ScanRunRow, stages: StageClock, watch: CancelWatch) {
  let lastEvent = performance.now();
  const tell = async ({ records, skipped }: RunProgress, withEvent: boolean): Promise<void> => {
    const now = context.services.clock.now();
    const change: RunChange = {
      'counts.records': records,
      'counts.skipped': skipped,
      engines: run.engines.map((engine) => ({ ...engine, heartbeat_at: now })),
      stages: stages.all,
    };
    const still = { _id: run._id, state: 'RUNNING' };
    const told = withEvent
      ? (await context.transaction((transaction) => changeRunRow(context, still, change, transaction))) !== null
      : (await context.collection(scanRuns).update(still, { $set: change })).matched > 0;
    if (!told) watch.cancelled = true;
    if (withEvent) lastEvent = performance.now();
  };
  return {
    now: (progress: RunProgress) => tell(progress, performance.now() - lastEvent >= EVENT_EVERY),
    last: (progress: RunProgress) => tell(progress, true),
  };
}
