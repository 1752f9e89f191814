import { getField, type RawValue } from '../bson/raw.js';
import { CommandError } from '../errors.js';
import { idKeyOf } from '../storage/collection.js';
import { insertWaiting } from '../storage/change.js';
import { assertId } from '../storage/store.js';
import { Writer } from '../storage/writer.js';
import { withId } from '../update/update.js';
import type { Reply } from './command.js';
import type { CommandContext } from './context.js';
import { runStatements, withErrors } from './write-results.js';

const ID = Buffer.from('_id');

/** Own bytes of a document to insert, its _id first. Throws for an _id or a field name that MongoDB refuses. */
export function documentToInsert(value: RawValue): Buffer {
  const bytes = withId(Buffer.from(value.bytes));
  assertId(getField(bytes, 0, ID)!);
  return bytes;
}

export async function insert({ command, store, transaction }: CommandContext): Promise<Reply> {
  const documents = command.array('documents');
  const collection = await store.getOrCreate(command.namespace);
  const writer = new Writer(store, transaction);
  const ordered = command.get('ordered') === undefined || command.boolean('ordered');
  let inserted = 0;
  const errors = await runStatements(writer, documents.length, ordered, transaction !== undefined, (i) => {
    const bytes = documentToInsert(documents[i]!);
    const idKey = idKeyOf(bytes);
    if (idKey === undefined) throw new CommandError(2, 'a document without _id');
    const blocker = writer.insert(collection, idKey, bytes);
    if (!blocker) {
      inserted++;
      return undefined;
    }
    return writer
      .waitFor(blocker)
      .then(() => insertWaiting(writer, collection, idKey, bytes))
      .then(() => {
        inserted++;
      });
  });
  return withErrors({ n: inserted, ok: 1 }, errors);
}
