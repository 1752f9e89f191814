import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineSystemCollection } from '../store/collection.js';
import { DUE_FIELDS, NEVER_LEASED, workOffDue, type DueRow, type DueWork } from '../work/due.js';
import type { EngineServices } from './context.js';

/** Something that runs in every worker process until the process ends. */
export interface BackgroundTask {
  readonly name: string;
  /** Does the work until `signal` is aborted, and only then resolves. What it throws is logged, and it is started again after a second. */
  run(services: EngineServices, signal: AbortSignal): Promise<void>;
}

export const periodicTasks = defineSystemCollection('periodic_tasks', DUE_FIELDS);

/** How often a process asks whether a task is due, and how soon a task that failed is tried again; milliseconds. */
const ASK_EVERY = 1_000;
const RETRY = 5 * 60_000;

/**
 * A task that runs every `interval` milliseconds in one process of a deployment, however many workers it has. A run that throws is made good
 * after five minutes, one whose process dies after the lease, and one whose process stops at once; so it must be idempotent.
 */
export function periodic(
  name: string,
  interval: number,
  work: (services: EngineServices, signal: AbortSignal) => Promise<void>,
): BackgroundTask {
  return {
    name,
    async run(services, stopping) {
      const { database, storeClock, logger } = services;
      const after = (pause: number) => ({ due_at: new Date(storeClock.now().getTime() + pause) });
      const first = { $setOnInsert: { due_at: storeClock.now(), ...NEVER_LEASED } };
      await database.system(periodicTasks).update({ _id: name }, first, { upsert: true }).catch(ignoreDuplicate);
      const task: DueWork<DueRow> = {
        name,
        collection: periodicTasks,
        where: { _id: name },
        atATime: 1,
        pollMs: Math.min(ASK_EVERY, interval),
        async run({ signal }) {
          await work(services, signal);
          // a process that stops may have left something undone
          return after(signal.aborted ? 0 : interval);
        },
        failed(_taken, error) {
          logger.error({ err: error, task: name }, 'a periodic task failed');
          return after(Math.min(RETRY, interval));
        },
      };
      await workOffDue(services, task, stopping);
    },
  };
}

function ignoreDuplicate(error: unknown): void {
  if ((error as { code?: number }).code !== 11_000) throw error;
}

/** Starts tasks; `stop` asks them to end and waits for them. */
export function startBackground(services: EngineServices, tasks: readonly BackgroundTask[]): { stop(): Promise<void> } {
  const stopping = new AbortController();
  // every task waits for it
  setMaxListeners(0, stopping.signal);
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
