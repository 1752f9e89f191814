import type { Document } from 'bson';
import { decodeValue } from '../bson/decode.js';
import { BSON, readString, type RawValue } from '../bson/raw.js';
import { toRaw } from '../bson/write.js';
import { streamOf } from '../cursors.js';
import { CommandError, notSupported } from '../errors.js';
import type { Collection } from '../storage/collection.js';
import { buildIndex } from '../storage/build-index.js';
import type { IndexSpec } from '../storage/index.js';
import type { Reply } from './command.js';
import type { CommandContext } from './context.js';
import { firstBatch } from './find.js';

const KNOWN = new Set(['v', 'key', 'name', 'unique', 'sparse', 'expireAfterSeconds', 'partialFilterExpression', 'background', 'ns']);

/** Reads the specification of one index. Throws for kinds and options that the store lacks. */
export function readIndexSpec(value: RawValue): IndexSpec {
  const given = decodeValue(value) as Document;
  const key = given['key'] as Document | undefined;
  if (!key || Object.keys(key).length === 0) throw new CommandError(67, 'Index keys cannot be empty.');
  for (const [path, direction] of Object.entries(key)) {
    if (path.includes('$**')) throw notSupported('A wildcard index');
    if (typeof direction === 'string') throw notSupported(`An index of the kind ${direction}`);
    if (typeof direction !== 'number' || direction === 0)
      throw new CommandError(67, `Values in the index key pattern must be numbers other than 0, found ${path}: ${String(direction)}`);
  }
  for (const option of Object.keys(given)) {
    if (option === 'collation') throw notSupported('Collation');
    if (option === 'hidden' && given[option] === false) continue;
    if (!KNOWN.has(option)) throw notSupported(`The index option ${option}`);
  }
  const name = given['name'] as unknown;
  if (typeof name !== 'string' || name === '')
    throw new CommandError(9, "The 'name' field is a required property of an index specification");
  const expire = given['expireAfterSeconds'] as unknown;
  if (expire !== undefined && (typeof expire !== 'number' || expire < 0))
    throw new CommandError(67, 'TTL index expireAfterSeconds must be a number that is not negative');
  if (expire !== undefined && Object.keys(key).length > 1)
    throw new CommandError(67, 'TTL indexes are single-field indexes, compound indexes do not support TTL');
  if (given['sparse'] === true && given['partialFilterExpression'])
    throw new CommandError(67, "cannot mix 'partialFilterExpression' and 'sparse' options");
  return {
    v: 2,
    key: key as Record<string, number>,
    name,
    ...(given['unique'] === true ? { unique: true } : {}),
    ...(given['sparse'] === true ? { sparse: true } : {}),
    ...(expire === undefined ? {} : { expireAfterSeconds: expire }),
    ...(given['partialFilterExpression'] ? { partialFilterExpression: given['partialFilterExpression'] as Document } : {}),
  };
}

/** Waits until no transaction holds a document of the collection. */
export async function untilUnlocked(collection: Collection): Promise<void> {
  for (let holder = firstHolder(collection); holder; holder = firstHolder(collection)) await holder.ended;
}

function firstHolder(collection: Collection): { ended: Promise<void> } | undefined {
  for (const transaction of collection.locks.values()) return transaction;
  return undefined;
}

const same = (a: unknown, b: unknown): boolean => toRaw({ v: a }).equals(toRaw({ v: b }));

/** Adds an index unless it is there. Answers whether it was added; throws for a different one of the same name or key. */
async function addIndex({ store }: CommandContext, collection: Collection, spec: IndexSpec): Promise<boolean> {
  for (const { spec: other } of collection.indexes) {
    if (other.name === '_id_' && same(spec.key, other.key)) return false;
    const sameKey = same(other.key, spec.key) && same(other.partialFilterExpression, spec.partialFilterExpression);
    if (other.name === spec.name) {
      if (sameKey && same({ ...other }, { ...spec })) return false;
      throw new CommandError(
        sameKey ? 85 : 86,
        `An existing index has the same name as the requested index but different key specs or options: ${spec.name}`,
      );
    }
    if (sameKey && Boolean(other.unique) === Boolean(spec.unique) && Boolean(other.sparse) === Boolean(spec.sparse)) {
      throw new CommandError(85, `Index already exists with a different name: ${other.name}`);
    }
  }
  await buildIndex(store, collection, await store.addIndex(collection, spec));
  return true;
}

export async function createIndexes(context: CommandContext): Promise<Reply> {
  const { command, store } = context;
  const specs = command.array('indexes').map(readIndexSpec);
  const created = !store.find(command.namespace);
  const collection = await store.getOrCreate(command.namespace);
  await untilUnlocked(collection);
  const before = collection.indexes.length;
  for (const spec of specs) await addIndex(context, collection, spec);
  return { numIndexesBefore: before, numIndexesAfter: collection.indexes.length, createdCollectionAutomatically: created, ok: 1 };
}

export async function dropIndexes({ command, store }: CommandContext): Promise<Reply> {
  const collection = store.find(command.namespace);
  if (!collection) throw new CommandError(26, `ns not found ${command.namespace}`);
  await untilUnlocked(collection);
  const before = collection.indexes.length;
  const wanted = command.get('index');
  const name = wanted?.type === BSON.string ? readString(wanted) : undefined;
  const doomed = collection.indexes.filter(({ spec }) => {
    if (spec.name === '_id_') return false;
    if (wanted?.type === BSON.array) return (decodeValue(wanted) as string[]).includes(spec.name);
    return name === '*' || (name !== undefined ? spec.name === name : wanted !== undefined && same(spec.key, decodeValue(wanted)));
  });
  if (doomed.length === 0 && name !== '*')
    throw new CommandError(name === '_id_' ? 72 : 27, name === '_id_' ? 'cannot drop _id index' : `index not found with name [${name}]`);
  for (const index of doomed) await store.dropIndex(collection, index);
  return { nIndexesWas: before, ok: 1 };
}

export async function listIndexes(context: CommandContext): Promise<Reply> {
  const { command, store } = context;
  const collection = store.find(command.namespace);
  if (!collection) throw new CommandError(26, `ns does not exist: ${command.namespace}`);
  return firstBatch(context, command.namespace, streamOf(collection.indexes.map((i) => toRaw({ ...i.spec }))), undefined);
}
