import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const list = (folder: string) =>
  readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });

/**
 * Removes uploads that were cut off by the end of their process: the `.part` files of a folder of staged objects.
 * @param minAge milliseconds for which nothing must have been written to one: 0 where no other process uses the folder
 * @returns how many were removed
 */
export async function sweepUploads(folder: string, minAge: number): Promise<number> {
  let removed = 0;
  for (const tenant of await list(folder)) {
    if (!tenant.isDirectory()) continue;
    for (const { name } of await list(join(folder, tenant.name))) {
      if (!name.endsWith('.part')) continue;
      const path = join(folder, tenant.name, name);
      const file = await stat(path).catch(() => null);
      if (!file || Date.now() - file.mtimeMs < minAge) continue;
      await rm(path, { force: true });
      removed += 1;
    }
  }
  return removed;
}
