import { setTimeout as sleep } from 'node:timers/promises';

const TRIES = 20;

/**
 * What `ask` answers within `budget` milliseconds of this process's processor time, at the best of some tries: what is measured is the work, not the
 * machine's other work. For what happens in this process.
 * @throws when the best took longer
 */
export async function withinCpu<T>(budget: number, ask: () => T | Promise<T>): Promise<T> {
  let best = Infinity;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const before = process.cpuUsage();
    const answer = await ask();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
    if (best < budget) return answer;
    await sleep(20 * attempt);
  }
  throw new Error(`it took ${Math.round(best)} ms at best; at most ${budget} were allowed`);
}

/**
 * What `ask` answers in at most `times` the time of `plain`, each at its best of some tries, by turns: how busy the machine is changes both alike. For what
 * happens in a server.
 * @throws when the best took longer
 */
export async function withinTimes<T>(times: number, plain: () => Promise<unknown>, ask: () => Promise<T>): Promise<T> {
  let [usual, best] = [Infinity, Infinity];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const began = performance.now();
    await plain();
    const between = performance.now();
    const answer = await ask();
    usual = Math.min(usual, between - began);
    best = Math.min(best, performance.now() - between);
    if (best <= times * usual) return answer;
    await sleep(20 * attempt);
  }
  throw new Error(`it took ${Math.round(best / usual)} times as long as a plain call; at most ${times} were allowed`);
}
