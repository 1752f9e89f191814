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

/** Something that is done every `interval` milliseconds in one process of a deployment, however many workers it has. */
export interface PeriodicTask {
  readonly name: string;
  readonly interval: number;
  readonly work: (services: EngineServices, signal: AbortSignal) => Promise<void>;
}

/** What an engine does beside requests and jobs. */
export type EngineTask = BackgroundTask | PeriodicTask;

export const periodicTasks = defineSystemCollection('periodic_tasks', DUE_FIELDS);

/** How soon what failed is tried again; milliseconds. */
const AGAIN = 1_000;
const RETRY = 5 * 60_000;

/**
 * A task that runs every `interval` milliseconds in one process of a deployment. A run that throws is made good after five minutes, one whose process dies
 * after the lease, and one whose process stops at once; so it must be idempotent.
 */
export const periodic = (name: string, interval: number, work: PeriodicTask['work']): PeriodicTask => ({ name, interval, work });

/** Runs periodic tasks as they are due: one look at the store tells of all of them. */
export function runPeriodic(tasks: readonly PeriodicTask[]): BackgroundTask {
  const byName = new Map(tasks.map((task) => [task.name, task]));
  const names = [...byName.keys()];
  return {
    name: 'periodic tasks',
    async run(services, stopping) {
      const { database, storeClock, logger } = services;
      const after = (pause: number) => ({ due_at: new Date(storeClock.now().getTime() + pause) });
      const first = { $setOnInsert: { due_at: storeClock.now(), ...NEVER_LEASED } };
      for (const _id of names) await database.system(periodicTasks).update({ _id }, first, { upsert: true }).catch(ignoreDuplicate);
      const rounds: DueWork<DueRow> = {
        name: 'periodic tasks',
        collection: periodicTasks,
        where: { _id: { $in: names } },
        atATime: names.length,
        async run({ row, signal }) {
          const { work, interval } = byName.get(row._id)!;
          await work(services, signal);
          // a process that stops may have left something undone
          return after(signal.aborted ? 0 : interval);
        },
        failed({ row }, error) {
          logger.error({ err: error, task: row._id }, 'a periodic task failed');
          return after(Math.min(RETRY, byName.get(row._id)!.interval));
        },
      };
      await workOffDue(services, rounds, stopping);
    },
  };
}

function ignoreDuplicate(error: unknown): void {
  if ((error as { code?: number }).code !== 11_000) throw error;
}

/** Starts tasks; `stop` asks them to end and waits for them. */
export function startBackground(services: EngineServices, tasks: readonly EngineTask[]): { stop(): Promise<void> } {
  const stopping = new AbortController();
  // every task waits for it
  setMaxListeners(0, stopping.signal);
  const keep = async (task: BackgroundTask): Promise<void> => {
    while (!stopping.signal.aborted) {
      await task.run(services, stopping.signal).catch((error: unknown) => {
        if (!stopping.signal.aborted) services.logger.error({ err: error, task: task.name }, 'a background task failed');
      });
      await sleep(AGAIN, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const periodical = tasks.filter((task): task is PeriodicTask => 'interval' in task);
  const others = tasks.filter((task): task is BackgroundTask => !('interval' in task));
  const running = [...others, ...(periodical.length > 0 ? [runPeriodic(periodical)] : [])].map(keep);
  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}
