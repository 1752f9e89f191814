import { readdirSync, realpathSync, statSync, type Dirent } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Ignored } from './ignored.js';
import type { Skipped, Unreadable } from './types.js';

/** What lies below a folder. */
export interface Walked {
  /** Files by their folder, both as the caller would name them, in order. */
  folders: Map<string, string[]>;
  /** Files and folders that ignore files leave out. */
  ignored: number;
  /** Whether a file, or a folder above it, is one of those. */
  isLeftOut(file: string): boolean;
  skipped: Skipped[];
  unreadable: Unreadable[];
}

const MAX_FILES = 200_000;
const MAX_DEPTH = 60;

/** The files below a folder. Links to folders are not followed: what they lead to is checked where it stands, and circles end. */
export function walk(folder: string): Walked {
  const leftOut = new Set<string>();
  const isLeftOut = (file: string): boolean => leftOut.size > 0 && withThoseAbove(file).some((path) => leftOut.has(path));
  const walked: Walked = { folders: new Map(), ignored: 0, isLeftOut, skipped: [], unreadable: [] };
  const ignored = new Ignored(folder);
  const seen = new Set<string>();
  let count = 0;
  const pending: { path: string; depth: number }[] = [{ path: folder, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { path, depth } = next;
    const entries = entriesOf(path, walked.unreadable);
    ignored.enter(path);
    const files: string[] = [];
    for (const entry of entries) {
      const inside = path === '.' ? entry.name : join(path, entry.name);
      const kind = kindOf(entry, inside);
      if (kind !== 'other' && ignored.has(inside, kind === 'folder')) {
        walked.ignored += 1;
        leftOut.add(resolve(inside));
      } else if (kind === 'link') walked.skipped.push({ file: inside, reason: 'a link to a folder is not followed' });
      else if (kind === 'broken link') walked.skipped.push({ file: inside, reason: 'the link leads nowhere' });
      else if (kind === 'folder' && depth < MAX_DEPTH) pending.push({ path: inside, depth: depth + 1 });
      else if (kind === 'folder') walked.skipped.push({ file: inside, reason: `it lies deeper than ${MAX_DEPTH} folders` });
      else if (kind === 'file' && count < MAX_FILES && isNew(inside, entry.isSymbolicLink(), seen)) {
        files.push(inside);
        count += 1;
      }
    }
    if (files.length > 0) walked.folders.set(path, files);
  }
  if (count >= MAX_FILES)
    walked.unreadable.push({ file: folder, reason: `it holds more than ${MAX_FILES} files: name the folders to check` });
  walked.folders = new Map([...walked.folders].sort(([one], [other]) => (one < other ? -1 : 1)));
  return walked;
}

function withThoseAbove(file: string): string[] {
  const paths = [resolve(file)];
  for (let at = paths[0]!; dirname(at) !== at; at = dirname(at)) paths.push(dirname(at));
  return paths;
}

function entriesOf(path: string, unreadable: Unreadable[]): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    unreadable.push({ file: path, reason: (error as Error).message });
    return [];
  }
}

function kindOf(entry: Dirent, path: string): 'file' | 'folder' | 'link' | 'broken link' | 'other' {
  if (entry.isDirectory()) return 'folder';
  if (entry.isFile()) return 'file';
  if (!entry.isSymbolicLink()) return 'other';
  const target = statSync(path, { throwIfNoEntry: false });
  if (target === undefined) return 'broken link';
  return target.isDirectory() ? 'link' : target.isFile() ? 'file' : 'other';
}

/** A file that a link leads to is read once, under the name that comes first. */
function isNew(path: string, isLink: boolean, seen: Set<string>): boolean {
  if (!isLink) return true;
  const target = realpathSync(path);
  if (seen.has(target)) return false;
  seen.add(target);
  return true;
}
