import { randomUUID } from 'node:crypto';
import { Double, type Document } from 'bson';
import { decodeValue } from '../bson/decode.js';
import { BSON } from '../bson/raw.js';
import { toRaw } from '../bson/write.js';
import { streamOf } from '../cursors.js';
import { CommandError, notSupported } from '../errors.js';
import { compileFilter } from '../query/match.js';
import { parseFilter } from '../query/parse.js';
import type { Collection } from '../storage/collection.js';
import { Index, type IndexSpec } from '../storage/index.js';
import type { Reply } from './command.js';
import type { CommandContext } from './context.js';
import { firstBatch } from './find.js';
import { untilUnlocked } from './indexes.js';

export async function create({ command, store }: CommandContext): Promise<Reply> {
  for (const option of ['capped', 'timeseries', 'viewOn', 'validator', 'collation', 'clusteredIndex', 'encryptedFields']) {
    command.refuse(option, `The collection option ${option}`);
  }
  if (store.find(command.namespace)) throw new CommandError(48, `Collection ${command.namespace} already exists.`);
  await store.getOrCreate(command.namespace);
  return { ok: 1 };
}

export async function drop({ command, store }: CommandContext): Promise<Reply> {
  const collection = store.find(command.namespace);
  if (!collection) return { ok: 1 };
  await untilUnlocked(collection);
  await store.drop(command.namespace);
  return { nIndexesWas: collection.indexes.length, ns: command.namespace, ok: 1 };
}

export async function dropDatabase({ command, store }: CommandContext): Promise<Reply> {
  for (const [namespace, collection] of [...store.collections]) {
    if (!namespace.startsWith(`${command.database}.`)) continue;
    await untilUnlocked(collection);
    await store.drop(namespace);
  }
  return { dropped: command.database, ok: 1 };
}

export async function renameCollection({ command, store }: CommandContext): Promise<Reply> {
  const from = command.string('renameCollection') ?? '';
  const to = command.string('to') ?? '';
  const collection = store.find(from);
  if (!collection) throw new CommandError(26, `Source collection ${from} does not exist`);
  const target = store.find(to);
  if (target && !command.boolean('dropTarget')) throw new CommandError(48, 'target namespace exists');
  await untilUnlocked(collection);
  if (target) await untilUnlocked(target);
  await store.rename(from, to);
  return { ok: 1 };
}

export function listCollections(context: CommandContext): Promise<Reply> {
  const { command, store } = context;
  const matches = compileFilter(parseFilter(command.document('filter')));
  const nameOnly = command.boolean('nameOnly');
  const documents = [...store.collections.keys()]
    .filter((namespace) => namespace.startsWith(`${command.database}.`))
    .map((namespace) => {
      const name = namespace.slice(command.database.length + 1);
      const info = nameOnly
        ? {}
        : { options: {}, info: { readOnly: false, uuid: randomUUID() }, idIndex: { v: 2, key: { _id: 1 }, name: '_id_' } };
      return toRaw({ name, type: 'collection', ...info });
    })
    .filter((bytes) => matches(bytes, 0));
  return firstBatch(context, `${command.database}.$cmd.listCollections`, streamOf(documents), undefined);
}

export function listDatabases({ command, store }: CommandContext): Reply {
  const sizes = new Map<string, number>();
  for (const [namespace, collection] of store.collections) {
    const name = namespace.slice(0, namespace.indexOf('.'));
    sizes.set(name, (sizes.get(name) ?? 0) + collection.sizes.bytes);
  }
  const matches = compileFilter(parseFilter(command.document('filter')));
  const databases = [...sizes].map(([name, size]) => ({ name, sizeOnDisk: size, empty: false })).filter((d) => matches(toRaw(d), 0));
  if (command.boolean('nameOnly')) return { databases: databases.map(({ name }) => ({ name })), ok: 1 };
  return { databases, totalSize: databases.reduce((sum, d) => sum + d.sizeOnDisk, 0), ok: 1 };
}

/** Changes the expiry of a TTL index; other changes are not supported. */
export async function collMod({ command, store }: CommandContext): Promise<Reply> {
  const collection = store.find(command.namespace);
  if (!collection) throw new CommandError(26, `ns does not exist: ${command.namespace}`);
  const change = command.get('index');
  for (const option of ['validator', 'viewOn', 'pipeline', 'timeseries']) command.refuse(option, `collMod ${option}`);
  if (change?.type !== BSON.object) return { ok: 1 };
  const wanted = decodeValue(change) as { name?: string; keyPattern?: Document; expireAfterSeconds?: number };
  const at = collection.indexes.findIndex((i) =>
    wanted.name === undefined ? toRaw({ ...i.spec.key }).equals(toRaw(wanted.keyPattern ?? {})) : i.spec.name === wanted.name,
  );
  const index = collection.indexes[at];
  if (!index) throw new CommandError(27, 'cannot find the index of collMod');
  if (wanted.expireAfterSeconds === undefined) throw notSupported('collMod of anything but expireAfterSeconds');
  const spec: IndexSpec = { ...index.spec, expireAfterSeconds: wanted.expireAfterSeconds };
  collection.indexes[at] = new Index(index.id, spec, [...index.arrayComponents], index.built);
  await store.saveIndexes(collection);
  return { expireAfterSeconds_old: index.spec.expireAfterSeconds, expireAfterSeconds_new: spec.expireAfterSeconds, ok: 1 };
}

function sizesOf(collections: readonly Collection[]): { count: number; size: number; indexes: number } {
  return {
    count: collections.reduce((sum, c) => sum + c.sizes.count, 0),
    size: collections.reduce((sum, c) => sum + c.sizes.bytes, 0),
    indexes: collections.reduce((sum, c) => sum + c.indexes.length, 0),
  };
}

export function collStats({ command, store }: CommandContext): Reply {
  const collection = store.find(command.namespace);
  const { count, size, indexes } = sizesOf(collection ? [collection] : []);
  return {
    ns: command.namespace,
    count,
    size,
    avgObjSize: count > 0 ? Math.floor(size / count) : 0,
    storageSize: size,
    nindexes: indexes,
    totalIndexSize: 0,
    indexSizes: {},
    ok: 1,
  };
}

export function dbStats({ command, store }: CommandContext): Reply {
  const collections = [...store.collections].filter(([ns]) => ns.startsWith(`${command.database}.`)).map(([, c]) => c);
  const { count, size, indexes } = sizesOf(collections);
  return {
    db: command.database,
    collections: collections.length,
    objects: count,
    dataSize: new Double(size),
    storageSize: new Double(size),
    indexes,
    indexSize: 0,
    ok: 1,
  };
}
