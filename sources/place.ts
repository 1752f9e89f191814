import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** Where files lie: under their own names in the folders that they are in, and behind links. Of what is gone, where it would lie. */
export function placesOf(file: string): string[] {
  const named = join(real(dirname(resolve(file))), basename(file));
  return [...new Set([named, real(named)])];
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
