import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The files of a store's folder, in the order of their numbers. */
export interface StoreFiles {
  readonly snapshots: readonly { readonly number: number; readonly path: string }[];
  readonly journals: readonly { readonly number: number; readonly path: string }[];
  readonly leftovers: readonly string[];
}

const pad = (number: number): string => String(number).padStart(8, '0');

/** The journal that holds what came after snapshot `number - 1`. */
export function journalPath(dir: string, number: number): string {
  return join(dir, `journal-${pad(number)}.bin`);
}

/** The snapshot of everything up to and with journal `number`. */
export function snapshotPath(dir: string, number: number): string {
  return join(dir, `snapshot-${pad(number)}.bin`);
}

/** Lists a store's folder. */
export function listFiles(dir: string): StoreFiles {
  const names = readdirSync(dir).sort();
  const numbered = (prefix: string): { number: number; path: string }[] =>
    names.flatMap((name) => {
      const match = new RegExp(`^${prefix}-(\\d{8,})\\.bin$`).exec(name);
      return match ? [{ number: Number(match[1]), path: join(dir, name) }] : [];
    });
  return {
    snapshots: numbered('snapshot'),
    journals: numbered('journal'),
    leftovers: names.filter((name) => /^snapshot-\d+\.bin\.tmp$/.test(name)).map((name) => join(dir, name)),
  };
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
