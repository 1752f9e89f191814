import { ClassicLevel } from 'classic-level';
import { StoreLockError } from './errors.js';

/** Gives a lock back. */
export type Release = () => Promise<void>;

/** LevelDB reads and writes nothing here: its smallest buffers will do. */
const SMALL = { cacheSize: 0, writeBufferSize: 64 * 1024 };

/**
 * Takes a lock that the kernel keeps (fcntl on Unix, LockFileEx on Windows), by opening an empty LevelDB database in a folder of its own. It holds
 * between containers that share a volume, where process numbers mean nothing, and ends with its process, however that ends.
 *
 * A second try of the same process would release the lock of the first: LevelDB closes the file again, and POSIX gives up a process's locks on
 * any close. Callers rule that out first.
 * @param folder made if it is not there
 * @returns null when another process holds it
 * @throws StoreLockError when the file system takes no locks
 */
export async function takeKernelLock(folder: string): Promise<Release | null> {
  const database = new ClassicLevel(folder, SMALL);
  try {
    await database.open();
  } catch (error) {
    const cause = (error as Error).cause as { code?: string; message?: string } | undefined;
    if (cause?.code === 'LEVEL_LOCKED') return null;
    throw new StoreLockError(
      `the embedded store could not lock ${folder}: ${cause?.message ?? (error as Error).message}. The folder holds no data: when no other ` +
        'process uses the store, remove it and start again.',
    );
  }
  return () => database.close();
}
