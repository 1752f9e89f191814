import { readFileSync } from 'node:fs';

/** Finds package.json beside the sources or above dist/. */
function readVersion(): string {
  for (const place of ['../package.json', '../../package.json']) {
    try {
      return (JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8')) as { version: string }).version;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error('package.json is missing');
}

export const version = readVersion();
