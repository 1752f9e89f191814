import type { Document } from 'bson';
import { CommandError } from '../errors.js';

/** One statement's error, in the shape of a write reply. */
export function writeError(index: number, error: unknown): Document {
  if (!(error instanceof CommandError)) throw error;
  return { index, code: error.code, errmsg: error.message, ...error.details };
}

/** Runs the statements of a write command: the first error ends an ordered one. Inside a transaction an error ends it all. */
export async function runStatements(
  count: number,
  ordered: boolean,
  inTransaction: boolean,
  run: (index: number) => Promise<void> | void,
): Promise<Document[]> {
  const errors: Document[] = [];
  for (let index = 0; index < count; index++) {
    try {
      const pending = run(index);
      if (pending) await pending;
    } catch (error) {
      if (inTransaction && error instanceof CommandError && (error.code === 112 || error.code === 251)) throw error;
      errors.push(writeError(index, error));
      if (ordered || inTransaction) break;
    }
  }
  return errors;
}

/** The optional writeErrors field of a reply. */
export function withErrors(reply: Document, errors: readonly Document[]): Document {
  return errors.length > 0 ? { ...reply, writeErrors: [...errors] } : reply;
}
