import type { Document } from 'bson';
import { decodeValue } from '../bson/decode.js';
import { BSON, childrenOf, RawValue } from '../bson/raw.js';
import { keyOf } from '../bson/key.js';
import { readWholeNumber } from '../bson/number.js';
import { arrayOf, replyOf } from '../bson/write.js';
import { openPipeline } from '../aggregate/pipeline.js';
import type { PipelineRequest } from '../aggregate/request.js';
import { CommandError } from '../errors.js';
import { QueryRun } from '../plan/query-run.js';
import { parseFilter } from '../query/parse.js';
import { pathOf, someAtPath } from '../query/path.js';
import type { Reply } from './command.js';
import type { CommandContext } from './context.js';
import { firstBatch, hintOf } from './find.js';

/** The pipeline that an aggregate command asks for. */
export function pipelineRequest({ command, store, transaction, check }: CommandContext): PipelineRequest {
  command.refuse('collation', 'Collation');
  const wholeDatabase = command.get(command.name)?.type !== BSON.string;
  const collection = wholeDatabase ? undefined : store.find(command.namespace);
  const variables = command.get('let') ? (decodeValue(command.document('let')) as Document) : {};
  const hint = collection && hintOf(collection, command);
  return {
    store,
    database: command.database,
    collection,
    pipeline: command.array('pipeline'),
    transaction,
    variables,
    hint,
    wholeDatabase,
    check,
  };
}

export async function aggregate(context: CommandContext): Promise<Reply> {
  const { command } = context;
  const request = pipelineRequest(context);
  const cursor = command.get('cursor');
  if (!cursor) throw new CommandError(9, "The 'cursor' option is required, except for aggregate with the explain argument");
  const batch = cursor.type === BSON.object ? childrenOf(cursor).find((e) => e.name === 'batchSize')?.value : undefined;
  const namespace = request.wholeDatabase ? `${command.database}.$cmd.aggregate` : command.namespace;
  return firstBatch(context, namespace, await openPipeline(request), batch && readWholeNumber(batch));
}

export async function distinct({ command, store, transaction, check }: CommandContext): Promise<Reply> {
  command.refuse('collation', 'Collation');
  const filter = parseFilter(command.document('query'));
  const name = command.string('key');
  if (name === undefined) throw new CommandError(40414, "BSON field 'distinct.key' is missing but a required field");
  const collection = store.find(command.namespace);
  const values = new Map<string, RawValue>();
  const path = pathOf(name);
  const see = (bytes: Buffer): void => {
    someAtPath(bytes, 0, path, 0, true, (type, buf, off, end) => {
      if (type === BSON.missing) return false;
      // The elements of an array have been seen; the array itself does not count.
      if (type === BSON.array && isLeafArray(bytes, path, off)) return false;
      const key = keyOf(type, buf, off, end);
      if (!values.has(key)) values.set(key, new RawValue(type, buf, off, end));
      return false;
    });
  };
  const run = collection && (await QueryRun.open({ collection, filter, transaction, check }));
  if (run) for await (const batch of run.batches()) batch.forEach(see);
  return replyOf([{ name: 'values', value: arrayOf([...values.values()]) }], { ok: 1 });
}

/** Whether the array at an offset is the path's own value rather than an element of it. */
function isLeafArray(bytes: Buffer, path: ReturnType<typeof pathOf>, off: number): boolean {
  return someAtPath(bytes, 0, path, 0, false, (type, _buf, at) => type === BSON.array && at === off);
}
