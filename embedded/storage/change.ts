import type { Matcher } from '../query/match.js';
import type { Collection } from './collection.js';
import type { Writer } from './writer.js';

/** What a change of one document made of it. */
export interface Changed {
  readonly before: Buffer;
  /** null when it was deleted. */
  readonly after: Buffer | null;
}

/**
 * Changes one document that a query found: makes its new bytes (null to delete it) and writes them. Waits for a transaction
 * that holds it, and then looks again whether it still matches. Answers undefined when it does not.
 */
export async function changeOne(
  writer: Writer,
  collection: Collection,
  idKey: string,
  matches: Matcher,
  change: (bytes: Buffer, changed: Set<string>) => Buffer | null,
): Promise<Changed | undefined> {
  for (;;) {
    const before = writer.visible(collection, idKey);
    if (!before || !matches(before, 0)) return undefined;
    const changed = new Set<string>();
    const after = change(before, changed);
    if (after === before) {
      writer.assertCurrent(collection, idKey);
      return { before, after };
    }
    const blocker = after ? writer.replace(collection, idKey, after, changed) : writer.delete(collection, idKey);
    if (!blocker) return { before, after };
    await writer.waitFor(blocker);
  }
}

/** Inserts a document, waiting for a transaction that holds its _id or a unique value of it. */
export async function insertWaiting(writer: Writer, collection: Collection, idKey: string, bytes: Buffer): Promise<void> {
  for (let blocker = writer.insert(collection, idKey, bytes); blocker; blocker = writer.insert(collection, idKey, bytes))
    await writer.waitFor(blocker);
}
