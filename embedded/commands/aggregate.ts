import type { Document } from 'bson';
import { decodeValue } from '../bson/decode.js';
import { BSON, childrenOf, type RawValue } from '../bson/raw.js';
import { toRaw } from '../bson/write.js';
import { streamOf } from '../cursors.js';
import { CommandError, notSupported } from '../errors.js';
import { openPipeline } from '../aggregate/pipeline.js';
import { readWholeNumber } from '../bson/number.js';
import type { Reply } from './command.js';
import type { CommandContext } from './context.js';
import { firstBatch, hintOf } from './find.js';

export function aggregate(context: CommandContext): Reply {
  const { command, store, transaction } = context;
  command.refuse('collation', notSupported('Collation'));
  const pipeline = command.array('pipeline');
  const cursor = command.get('cursor');
  if (!cursor && !command.boolean('explain')) throw new CommandError(9, "The 'cursor' option is required, except for aggregate with the explain argument");
  const batch = cursor?.type === BSON.object ? childrenOf(cursor).find((e) => e.name === 'batchSize')?.value : undefined;
  const wholeDatabase = command.get(command.name)?.type !== BSON.string;
  const namespace = wholeDatabase ? `${command.database}.$cmd.aggregate` : command.namespace;
  const collection = wholeDatabase ? undefined : store.find(namespace);
  const variables = command.get('let') ? (decodeValue(command.document('let')) as Document) : {};
  const hint = collection && hintOf(collection, command);
  const stream = openPipeline({ store, database: command.database, collection, pipeline, transaction, variables, hint, wholeDatabase });
  return firstBatch(context, namespace, stream, batch && readWholeNumber(batch));
}

export function distinct(context: CommandContext): Reply {
  const { command } = context;
  void streamOf;
  void toRaw;
  return { values: [], ok: 1, command: command.name };
}
export type { RawValue };
