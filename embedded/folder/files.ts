import { closeSync, existsSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The database within a store's folder. */
export function rowsPath(dir: string): string {
  return join(dir, 'rows');
}

/** A database that is being made from the files of an earlier release, or from a backup. */
export function unfinishedPath(dir: string): string {
  return join(dir, 'rows.unfinished');
}

/** The checksums of the database's files. */
export function checksumsPath(dir: string): string {
  return join(dir, 'rows.checksums.json');
}

/** How many commits the disk holds. */
export function commitMarkPath(dir: string): string {
  return join(dir, 'rows.commits');
}

/** The files that a database was made from, kept until it has been opened once more. */
export function formerPath(dir: string): string {
  return join(dir, 'former');
}

/** The first journal of releases that had journals: what it holds now makes them refuse the folder. */
export function journalPath(dir: string): string {
  return join(dir, 'journal-00000001.bin');
}

/** The files of releases before the database, and of backups: what a snapshot holds, and after it the journals. */
export interface SnapshotFiles {
  readonly snapshot: string | undefined;
  readonly journals: readonly string[];
}

/** Lists a folder's snapshot and the journals after it, in order. */
export function snapshotFiles(dir: string): SnapshotFiles {
  if (!existsSync(dir)) return { snapshot: undefined, journals: [] };
  const numbered = (prefix: string): { number: number; path: string }[] =>
    readdirSync(dir)
      .sort()
      .flatMap((name) => {
        const match = new RegExp(`^${prefix}-(\\d{8,})\\.bin$`).exec(name);
        return match ? [{ number: Number(match[1]), path: join(dir, name) }] : [];
      });
  const snapshot = numbered('snapshot').at(-1);
  const journals = numbered('journal').filter(({ number }) => number > (snapshot?.number ?? 0));
  return { snapshot: snapshot?.path, journals: journals.map(({ path }) => path) };
}

/** Makes a rename or a new file in a folder last through a power failure. */
export function syncFolder(dir: string): void {
  const fd = openSync(dir, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
