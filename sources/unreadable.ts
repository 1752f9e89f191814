import { statSync, type Stats } from 'node:fs';
import { ReportTooLarge } from '../importers/index.js';
import { NoTemplate } from './no-template.js';
import { UnreadableText } from './text.js';
import type { Unreadable } from './types.js';

/** What the system says of a file, in words. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file or folder'],
  ['ENOTDIR', 'a part of its path is no folder'],
  ['EACCES', 'it may not be read'],
  ['EPERM', 'it may not be read'],
  ['EISDIR', 'it is a folder'],
  ['ELOOP', 'its links lead in a circle'],
  ['ENAMETOOLONG', 'its name is too long'],
]);

const inWords = (error: unknown): string | undefined => REASONS.get((error as NodeJS.ErrnoException).code ?? '');

const isOfFile = (error: unknown): error is Error =>
  error instanceof ReportTooLarge || error instanceof NoTemplate || error instanceof UnreadableText || inWords(error) !== undefined;

/** What is told of a file that cannot be read. @throws the error where it is none of the file */
export function unreadable(file: string, error: unknown): Unreadable {
  if (!isOfFile(error)) throw error;
  return { file, reason: inWords(error) ?? error.message };
}

/** What is there; undefined where nothing is, or nobody may look. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    unreadable(path, error);
    return undefined;
  }
}
