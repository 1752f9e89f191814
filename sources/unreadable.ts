import { statSync, type Stats } from 'node:fs';
import { ReportTooLarge } from '../importers/index.js';
import { NoTemplate } from './no-template.js';
import { UnreadableText } from './text.js';
import type { Unreadable } from './types.js';

const CODES = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'EPERM']);

const isOfFile = (error: unknown): error is Error =>
  error instanceof ReportTooLarge ||
  error instanceof NoTemplate ||
  error instanceof UnreadableText ||
  CODES.has((error as NodeJS.ErrnoException).code ?? '');

/** What is told of a file that cannot be read. @throws the error where it is none of the file */
export function unreadable(file: string, error: unknown): Unreadable {
  if (!isOfFile(error)) throw error;
  return { file, reason: error.message };
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
