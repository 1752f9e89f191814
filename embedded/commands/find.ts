import { Long } from 'bson';
import { childrenOf, readString, BSON } from '../bson/raw.js';
import { readNearestNumber } from '../bson/number.js';
import { BatchReader, type DocumentStream } from '../cursors.js';
import { CommandError, notSupported } from '../errors.js';
import { parseSort } from '../plan/sort.js';
import { QueryRun, type QuerySpec } from '../plan/query-run.js';
import { compileProjection } from '../query/projection.js';
import { parseFilter } from '../query/parse.js';
import type { Collection } from '../storage/collection.js';
import type { Transaction } from '../transactions.js';
import type { Command, Reply } from './command.js';
import type { CommandContext } from './context.js';
import { cursorReply } from './cursor-reply.js';

const FIRST_BATCH = 101;

/** The index name that a hint asks for, by name or by key pattern. Throws BadValue when there is no such index. */
export function hintOf(collection: Collection, command: Command): string | undefined {
  const hint = command.get('hint');
  if (!hint) return undefined;
  if (hint.type === BSON.object && childrenOf(hint)[0]?.name === '$natural') return undefined;
  const wanted =
    hint.type === BSON.string
      ? readString(hint)
      : childrenOf(hint)
          .map((e) => `${e.name}_${readNearestNumber(e.value)}`)
          .join('_');
  const index = collection.indexes.find(
    (i) =>
      i.spec.name === wanted ||
      Object.entries(i.spec.key)
        .map(([n, d]) => `${n}_${d}`)
        .join('_') === wanted,
  );
  if (!index)
    throw new CommandError(
      2,
      'error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index',
    );
  return index.spec.name;
}

/** The query that a find command asks for. */
export function findSpec(command: Command, collection: Collection, transaction: Transaction | undefined): QuerySpec {
  command.refuse('collation', 'Collation');
  for (const option of ['min', 'max', 'returnKey', 'showRecordId', 'tailable', 'awaitData']) {
    if (command.get(option) && command.boolean(option)) throw notSupported(`The find option ${option}`);
  }
  const skip = command.number('skip') ?? 0;
  if (skip < 0) throw new CommandError(51024, `BSON field 'skip' value must be >= 0, actual value '${skip}'`);
  return {
    collection,
    filter: parseFilter(command.document('filter')),
    sort: parseSort(childrenOf(command.document('sort'))),
    skip,
    limit: Math.abs(command.number('limit') ?? 0),
    hint: hintOf(collection, command),
    transaction,
  };
}

/** Answers the first batch of a stream, and keeps the rest in a cursor. */
export async function firstBatch(
  context: CommandContext,
  namespace: string,
  stream: DocumentStream,
  batchSize: number | undefined,
  single = false,
): Promise<Reply> {
  const batches = new BatchReader(stream);
  const documents = await batches.read(batchSize ?? FIRST_BATCH);
  const id = single ? 0 : await context.cursors.keep(namespace, batches, context);
  if (id === 0) await batches.close();
  return cursorReply('firstBatch', documents, id, namespace);
}

async function* projected(stream: DocumentStream, projector: (bytes: Buffer) => Buffer): DocumentStream {
  for await (const batch of stream) yield batch.map(projector);
}

export async function find(context: CommandContext): Promise<Reply> {
  const { command, store, transaction } = context;
  const collection = store.find(command.namespace);
  const projector = compileProjection(command.get('projection') ?? command.get('fields'));
  if (!collection) {
    parseFilter(command.document('filter'));
    return cursorReply('firstBatch', [], 0, command.namespace);
  }
  const batchSize = command.number('batchSize');
  if (batchSize !== undefined && batchSize < 0) throw new CommandError(51024, "BSON field 'batchSize' value must be >= 0");
  const run = await QueryRun.open({ ...findSpec(command, collection, transaction), check: context.check });
  const stream = projector ? projected(run.batches(), projector) : run.batches();
  return firstBatch(context, command.namespace, stream, batchSize, command.boolean('singleBatch'));
}

export async function getMore({ command, cursors, connection }: CommandContext): Promise<Reply> {
  const collection = command.string('collection');
  if (collection === undefined) throw new CommandError(40414, "BSON field 'getMore.collection' is missing but a required field");
  const namespace = `${command.database}.${collection}`;
  const size = command.number('batchSize') || Infinity;
  const { batch, id } = await cursors.more(command.number('getMore') ?? 0, namespace, size, connection);
  return cursorReply('nextBatch', batch, id, namespace);
}

export function killCursors({ command, cursors }: CommandContext): Reply {
  const ids = command.array('cursors').map((v) => readNearestNumber(v) ?? 0);
  const killed = ids.filter((id) => cursors.kill(id));
  const longs = (list: readonly number[]): Long[] => list.map((id) => Long.fromNumber(id));
  return {
    cursorsKilled: longs(killed),
    cursorsNotFound: longs(ids.filter((id) => !killed.includes(id))),
    cursorsAlive: [],
    cursorsUnknown: [],
    ok: 1,
  };
}

export async function count(context: CommandContext): Promise<Reply> {
  const { command, store, transaction } = context;
  command.refuse('collation', 'Collation');
  const filter = parseFilter(command.document('query'));
  const collection = store.find(command.namespace);
  if (!collection) return { n: 0, ok: 1 };
  const run = await QueryRun.open({
    collection,
    filter,
    check: context.check,
    skip: command.number('skip') ?? 0,
    limit: Math.abs(command.number('limit') ?? 0),
    hint: hintOf(collection, command),
    transaction,
  });
  return { n: await run.count(), ok: 1 };
}
