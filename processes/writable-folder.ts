import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from '../kit/base/config.js';

/** Level by level: where a file system makes none (/proc, for example), mkdir with `recursive` never ends. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/**
 * Makes a folder if it is not there, and tries to write to it.
 * @param remedy what to set otherwise, for the message
 * @throws ConfigError with the folder, the system's reason and the remedy
 */
export function assertWritable(folder: string, remedy: string): void {
  const probe = join(folder, `.writable-${process.pid}`);
  try {
    makeFolder(resolve(folder));
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new ConfigError(`${folder} cannot be written (${code}): ${remedy}`);
  }
}
