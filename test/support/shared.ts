import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** A file or folder of the data that lies beside the checkout, such as `data/samples`; undefined on a machine without it. */
export function shared(path: string): string | undefined {
  const full = join(__dirname, '../../../shared', path);
  return existsSync(full) ? full : undefined;
}

/** `it` and `describe` for what needs something that not every machine has: skipped by name where that is undefined. */
export const needing = (needed: unknown): { it: jest.It; describe: jest.Describe } =>
  needed === undefined ? { it: it.skip, describe: describe.skip } : { it, describe };
