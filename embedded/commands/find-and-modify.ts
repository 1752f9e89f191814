import { getField } from '../bson/raw.js';
import { fromRawValue, rawDocument, rawValueOf, replyOf } from '../bson/write.js';
import { CommandError } from '../errors.js';
import { compileFilter } from '../query/match.js';
import { parseFilter } from '../query/parse.js';
import { compileProjection } from '../query/projection.js';
import { Writer } from '../storage/writer.js';
import type { Reply } from './command.js';
import type { CommandContext } from './context.js';
import { hintOf } from './find.js';
import { changeFirst, updateOf, upsert } from './update.js';

const ID = Buffer.from('_id');

export async function findAndModify({ command, store, transaction, check }: CommandContext): Promise<Reply> {
  command.refuse('collation', 'Collation');
  const filter = parseFilter(command.document('query'));
  const projector = compileProjection(command.get('fields'));
  const remove = command.boolean('remove');
  const argument = command.get('update');
  if (remove === (argument !== undefined)) throw new CommandError(9, 'Either an update or remove=true must be specified, and not both');
  const collection = await store.getOrCreate(command.namespace);
  const writer = new Writer(store, transaction);
  const compiled = argument && updateOf(filter, argument, command.get('arrayFilters') ? command.array('arrayFilters') : []);
  const changed = await changeFirst({
    collection,
    writer,
    check,
    filter,
    matches: compileFilter(filter),
    change: (bytes, changed) => (compiled ? compiled.run(bytes, false, changed) : null),
    sort: command.get('sort'),
    hint: hintOf(collection, command),
  });
  const answer = (lastErrorObject: object, document: Buffer | undefined): Buffer => {
    const value = document ? rawDocument(projector ? projector(document) : document) : rawValueOf(null);
    return replyOf(
      [
        { name: 'lastErrorObject', value: rawValueOf(lastErrorObject) },
        { name: 'value', value },
      ],
      { ok: 1 },
    );
  };
  if (changed) {
    await writer.commit();
    if (remove) return answer({ n: 1 }, changed.before);
    return answer({ n: 1, updatedExisting: true }, command.boolean('new') ? (changed.after ?? undefined) : changed.before);
  }
  if (remove || !compiled) return answer({ n: 0 }, undefined);
  if (!command.boolean('upsert')) return answer({ n: 0, updatedExisting: false }, undefined);
  const inserted = await upsert(collection, writer, filter, compiled);
  await writer.commit();
  const upserted = fromRawValue(getField(inserted, 0, ID)!);
  return answer({ n: 1, updatedExisting: false, upserted }, command.boolean('new') ? inserted : undefined);
}
