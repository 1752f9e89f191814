import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineSystemCollection } from '../store/collection.js';
import { date, nullable, text } from '../store/fields.js';
import type { EngineServices } from './context.js';

/** Something that runs in every worker process until the process ends. */
export interface BackgroundTask {
  readonly name: string;
  /** Does the work until `signal` is aborted, and only then resolves. What it throws is logged, and it is started again after a second. */
  run(services: EngineServices, signal: AbortSignal): Promise<void>;
}

export const periodicTasks = defineSystemCollection('periodic_tasks', {
  next_at: date,
  leased_by: nullable(text),
});

/** How often a process asks whether a task is due, and how long a process that takes one keeps it; milliseconds. */
const ASK_EVERY = 1_000;
const LEASE = 5 * 60_000;

/**
 * A task that runs every `interval` milliseconds in one process of a deployment, however many workers it has. A run that throws, or whose
 * process dies, is made good after the lease, and one whose process stops at once; so it must be idempotent.
 */
export function periodic(
  name: string,
  interval: number,
  work: (services: EngineServices, signal: AbortSignal) => Promise<void>,
): BackgroundTask {
  return {
    name,
    async run(services, signal) {
      const { database, clock, logger } = services;
      const rows = database.system(periodicTasks);
      const worker = randomUUID();
      const first = { $setOnInsert: { next_at: clock.now(), leased_by: null } };
      await rows.update({ _id: name }, first, { upsert: true }).catch(ignoreDuplicate);
      while (!signal.aborted) {
        const now = clock.now();
        const lease = { $set: { next_at: new Date(now.getTime() + LEASE), leased_by: worker } };
        const taken = await rows.findAndUpdate({ _id: name, next_at: { $lte: now } }, lease);
        if (taken) {
          const failed = await work(services, signal).then(
            () => false,
            (error: unknown) => {
              if (!signal.aborted) logger.error({ err: error, task: name }, 'a periodic task failed');
              return true;
            },
          );
          // a process that stops may have left something undone
          const pause = signal.aborted ? 0 : failed ? Math.min(LEASE, interval) : interval;
          const next_at = new Date(clock.now().getTime() + pause);
          await rows.update({ _id: name, leased_by: worker }, { $set: { next_at, leased_by: null } });
        }
        await sleep(Math.min(ASK_EVERY, interval), undefined, { signal }).catch(() => undefined);
      }
    },
  };
}

function ignoreDuplicate(error: unknown): void {
  if ((error as { code?: number }).code !== 11_000) throw error;
}

/** Starts tasks; `stop` asks them to end and waits for them. */
export function startBackground(services: EngineServices, tasks: readonly BackgroundTask[]): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const keep = async (task: BackgroundTask): Promise<void> => {
    while (!stopping.signal.aborted) {
      await task.run(services, stopping.signal).catch((error: unknown) => {
        if (!stopping.signal.aborted) services.logger.error({ err: error, task: task.name }, 'a background task failed');
      });
      await sleep(ASK_EVERY, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = tasks.map(keep);
  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}
