import { readdirSync, readFileSync } from 'node:fs';

/** Jiffies of a second, which Linux gives on every machine (USER_HZ). */
const HZ = 100;

/** The fields of /proc/PID/stat behind the command's name; null when the process has gone. */
function statOf(pid: number): string[] | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
  } catch {
    return null;
  }
}

/** A process and all below it that live, each before those that it has started. */
export function processesBelow(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? statOf(Number(name))?.[1] : undefined;
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const found = [pid];
  for (const one of found) for (const [child, parent] of parents) if (parent === one) found.push(child);
  return found;
}

/** Seconds of CPU that a process and all below it have used, those that have ended included. */
export const cpuSeconds = (pid: number): number =>
  processesBelow(pid)
    .flatMap((one) => statOf(one)?.slice(11, 15) ?? [])
    .reduce((sum, jiffies) => sum + Number(jiffies), 0) / HZ;

/** Seconds of CPU of all children of this process that have ended. */
export const endedSeconds = (): number =>
  statOf(process.pid)!
    .slice(13, 15)
    .reduce((sum, jiffies) => sum + Number(jiffies), 0) / HZ;

/** As `cpuSeconds`; 0 where the process is not ours to look at. */
export const cpuOf = (pid: number | null): number => (pid === null ? 0 : cpuSeconds(pid));

/** Mebibytes of memory that a process holds now. */
export const residentMiB = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
