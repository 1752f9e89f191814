import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Folders in one another, to see whether anything is written outside of the innermost. */
export function makeTree(): { inner: string; list: () => string[]; remove: () => void } {
  const root = mkdtempSync(join(tmpdir(), 'palisade-archive-'));
  const inner = join(root, 'a', 'b', 'c');
  mkdirSync(inner, { recursive: true });
  return {
    inner,
    list: () => readdirSync(root, { recursive: true, encoding: 'utf8' }).sort(),
    remove: () => rmSync(root, { recursive: true }),
  };
}
