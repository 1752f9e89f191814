import type { Document } from 'bson';
import type { Writer } from '../storage/writer.js';
import { Slice } from '../storage/slice.js';
import { CommandError } from '../errors.js';

/** One statement's error, in the shape of a write reply. */
export function writeError(index: number, error: unknown): Document {
  if (!(error instanceof CommandError)) throw error;
  return { index, code: error.code, errmsg: error.message, ...error.details };
}

/**
 * Runs the statements of a write command, and commits them: the first error ends an ordered one. Inside a client's transaction an error ends it all.
 */
export async function runStatements(
  writer: Writer,
  count: number,
  ordered: boolean,
  inTransaction: boolean,
  run: (index: number) => Promise<void> | void,
): Promise<Document[]> {
  const errors: Document[] = [];
  const slice = new Slice();
  for (let index = 0; index < count; index++) {
    try {
      const pending = run(index);
      if (pending) await pending;
      await writer.commitMuch();
      if (slice.over()) await slice.next();
    } catch (error) {
      if (inTransaction && error instanceof CommandError && (error.code === 112 || error.code === 251)) throw error;
      errors.push(writeError(index, error));
      if (ordered || inTransaction) break;
    }
  }
  await writer.commit();
  return errors;
}

/** The optional writeErrors field of a reply. */
export function withErrors(reply: Document, errors: readonly Document[]): Document {
  return errors.length > 0 ? { ...reply, writeErrors: [...errors] } : reply;
}
