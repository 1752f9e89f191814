// What dist/ says of the build that stands in it.
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const NOTE = '.build.json';

/** What stands in dist/. @returns {{id: string, stamp: string} | null} */
export function readPlaced(dist) {
  try {
    const placed = JSON.parse(readFileSync(join(dist, NOTE), 'utf8'));
    return existsSync(join(dist, placed.id)) && existsSync(join(dist, 'main.js')) ? placed : null;
  } catch {
    return null;
  }
}

/** Writes a file in one step. */
export function replace(path, text, mode = 0o644) {
  const staged = `${path}.${process.pid}`;
  writeFileSync(staged, text);
  chmodSync(staged, mode);
  renameSync(staged, path);
}

export const notePlaced = (dist, placed) => replace(join(dist, NOTE), JSON.stringify(placed));
