import { setTimeout as sleep } from 'node:timers/promises';

const TRIES = 20;

/**
 * What `ask` answers within `budget` milliseconds, at the best of some tries: what is measured is the work, not the machine's other work,
 * which passes.
 * @throws when the best took longer
 */
export const within = <T>(budget: number, ask: () => T | Promise<T>): Promise<T> => tryWithin(budget, ask, () => performance.now());

/** As `within`, by the processor time of this process: for work that happens in it. */
export const withinCpu = <T>(budget: number, ask: () => T | Promise<T>): Promise<T> =>
  tryWithin(budget, ask, () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  });

async function tryWithin<T>(budget: number, ask: () => T | Promise<T>, clock: () => number): Promise<T> {
  let best = Infinity;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const began = clock();
    const answer = await ask();
    best = Math.min(best, clock() - began);
    if (best < budget) return answer;
    await sleep(20 * attempt);
  }
  throw new Error(`it took ${Math.round(best)} ms at best; at most ${budget} were allowed`);
}
