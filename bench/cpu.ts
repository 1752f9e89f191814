// CPU seconds of other processes, from /proc: a share of a busy machine's wall time says little.
import { readFileSync } from 'node:fs';

/** Clock ticks a second, which Linux shows to programs as 100 on every platform that Node runs on. */
const TICKS = 100;

/** CPU seconds, of user and kernel, that a process has used so far; 0 for none (null: a store that is not ours). Linux only. */
export function cpuOf(pid: number | null): number {
  if (pid === null) return 0;
  // the name of the program, in parentheses, may hold spaces
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}
