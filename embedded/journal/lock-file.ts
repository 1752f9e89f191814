import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { StoreInUseError } from './errors.js';

/** When a process started, to tell it from a later one of the same number; undefined when there is no such process. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return startWithoutProc(pid);
  }
}

function startWithoutProc(pid: number): string | undefined {
  if (pid === process.pid) return `ms${Math.round((Date.now() - process.uptime() * 1000) / 10_000)}`;
  try {
    process.kill(pid, 0);
    return 'unknown';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? 'unknown' : undefined;
  }
}

function read(path: string): { pid: number; start: string } | undefined {
  try {
    const [pid, start] = readFileSync(path, 'utf8').trim().split(' ');
    return { pid: Number(pid), start: start ?? '' };
  } catch {
    return undefined;
  }
}

/**
 * Takes a folder for this process, so that two do not write to it. The lock of a dead process is taken over.
 * Answers the function that gives it back. Throws StoreInUseError.
 */
export function lockFolder(dir: string): () => void {
  const path = join(dir, 'lock');
  const content = `${process.pid} ${startOf(process.pid) ?? 'unknown'}\n`;
  try {
    const fd = openSync(path, 'wx');
    writeSync(fd, content);
    closeSync(fd);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const holder = read(path);
    const start = holder && startOf(holder.pid);
    if (holder && start !== undefined && (start === 'unknown' || start === holder.start)) throw new StoreInUseError(path, holder.pid);
    writeFileSync(`${path}.${process.pid}`, content);
    renameSync(`${path}.${process.pid}`, path);
  }
  return () => rmSync(path, { force: true });
}
