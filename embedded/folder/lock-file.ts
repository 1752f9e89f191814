import { mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreInUseError, StoreLockError } from './errors.js';
import { takeKernelLock, type Release } from './kernel-lock.js';

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

interface Holder {
  readonly pid: number;
  readonly start: string;
  /** It holds the kernel's lock, too, which then decides; releases before that had this file alone. */
  readonly locked: boolean;
}

const LOCKED = 'kernel-lock';

function read(path: string): Holder | undefined {
  try {
    const [pid, start, kind] = readFileSync(path, 'utf8').trim().split(' ');
    return { pid: Number(pid), start: start ?? '', locked: kind === LOCKED };
  } catch {
    return undefined;
  }
}

function lives({ pid, start }: Holder): boolean {
  const now = startOf(pid);
  return now !== undefined && (now === 'unknown' || now === start);
}

/** The number of the first PID namespace, from which all processes of the machine are seen (PROC_PID_INIT_INO of Linux). */
const FIRST_PID_NAMESPACE = 'pid:[4026531836]';

/** Whether processes may run on this machine that cannot be seen from here, as from within a container. */
function seesOwnContainerOnly(): boolean {
  try {
    return readlinkSync('/proc/self/ns/pid') !== FIRST_PID_NAMESPACE;
  } catch {
    return false;
  }
}

/**
 * Takes a folder for this process, so that two do not write to it: by a lock of the kernel, which holds between containers and ends with the
 * process, and by a file that names the holder, for messages and for releases that knew nothing else. Makes the folder.
 * @returns the function that gives it back
 * @throws StoreInUseError while another process holds it
 * @throws StoreLockError when it cannot be locked, or when nobody can tell whether a process of an earlier release still holds it
 */
export async function lockFolder(dir: string): Promise<Release> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const path = join(dir, 'lock');
  const own = `${process.pid} ${startOf(process.pid) ?? 'unknown'}`;
  const holder = read(path);
  const visible = holder !== undefined && lives(holder);
  // this very process must not try the kernel's lock twice
  if (holder && visible && (!holder.locked || `${holder.pid} ${holder.start}` === own)) throw new StoreInUseError(path, holder.pid);
  if (holder && !holder.locked && seesOwnContainerOnly())
    throw new StoreLockError(
      `process ${holder.pid} of an earlier release has not given back the embedded store, and whether it still runs cannot be seen from within this ` +
        `container. When it does not, remove ${path} and start again.`,
    );
  const release = await takeKernelLock(join(dir, 'kernel-lock'));
  if (!release) throw new StoreInUseError(path, visible ? holder.pid : null);
  writeFileSync(`${path}.${process.pid}`, `${own} ${LOCKED}\n`, { mode: 0o600 });
  renameSync(`${path}.${process.pid}`, path);
  return async () => {
    rmSync(path, { force: true });
    await release();
  };
}
