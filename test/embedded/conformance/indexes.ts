import type { Document } from 'mongodb';
import { codeOf, conforms, embeddedOnly, ids, type World } from './world.js';

/** Every filter and sort must answer the same with and without indexes. */
async function sameWithIndexes(
  world: World,
  documents: Document[],
  indexes: Document[],
  queries: { filter: Document; sort?: Document }[],
): Promise<void> {
  const c = await world.collection(documents);
  const run = async (): Promise<unknown[]> => {
    const answers: unknown[] = [];
    for (const { filter, sort } of queries) {
      const found = ids(
        await c
          .find(filter)
          .sort({ ...sort, _id: 1 } as never)
          .toArray(),
      );
      answers.push([found, await c.countDocuments(filter)]);
    }
    return answers;
  };
  const without = await run();
  for (const key of indexes) await c.createIndex(key as never);
  expect(await run()).toEqual(without);
}

export function indexes(world: World): void {
  describe('indexes', () => {
    conforms('queries answer the same with and without indexes', async () => {
      const values: unknown[] = [
        null,
        1,
        2,
        3.5,
        -1,
        'a',
        'b',
        '',
        [1, 2],
        [],
        ['a'],
        { b: 1 },
        { b: [1, 5] },
        [{ b: 2 }, { b: 3 }],
        true,
        new Date(7),
      ];
      const documents = values.flatMap((v, i) => [
        { _id: i * 2, v, g: i % 3 },
        { _id: i * 2 + 1, v, h: i % 2 },
      ]);
      const filters: Document[] = [
        { v: 1 }, { v: null }, { v: { $gt: 1 } }, { v: { $gte: 1, $lt: 3 } }, { v: { $in: [1, 'a', null] } }, { v: { $lt: 'b' } }, { v: { $ne: 1 } },
        { v: [] }, { v: { b: 1 } }, { 'v.b': 1 }, { 'v.b': { $gt: 1, $lt: 5 } }, { 'v.b': null }, { g: 1, v: { $gte: 0 } }, { g: null }, { v: /^a/ },
        { $or: [{ v: 1 }, { 'v.b': 3 }] }, { v: { $exists: false } }, { v: { $exists: true }, g: 0 }, { v: { $elemMatch: { $gt: 1 } } }, { v: { $type: 'string' } },
        { g: { $in: [0, 1] }, v: { $gt: -5 } }, { v: { $not: { $gt: 1 } } }, { v: { $gte: null } }, { v: true }, { v: { $lte: new Date(7) } },
      ]; // prettier-ignore
      const queries = filters.flatMap((filter) => [{ filter }, { filter, sort: { v: 1 } }, { filter, sort: { g: -1, v: 1 } }]);
      await sameWithIndexes(world, documents, [{ v: 1 }, { v: -1, g: 1 }, { 'v.b': 1 }, { g: 1, v: -1 }, { g: -1, v: 1, _id: 1 }], queries);
    });

    conforms('a unique index refuses a second document', async () => {
      const c = await world.collection();
      await c.createIndex({ tenant: 1, name: 1 }, { unique: true });
      await c.insertOne({ _id: 1 as never, tenant: 't', name: 'a' });
      expect(await codeOf(c.insertOne({ tenant: 't', name: 'a' }))).toBe(11000);
      await c.insertOne({ _id: 2 as never, tenant: 't', name: 'b' });
      expect(await codeOf(c.updateOne({ name: 'b' }, { $set: { name: 'a' } }))).toBe(11000);
      await c.updateOne({ _id: 1 as never }, { $set: { name: 'c' } });
      await c.updateOne({ name: 'b' }, { $set: { name: 'a' } });
      await c.insertOne({ tenant: 't' });
      expect(await codeOf(c.insertOne({ tenant: 't' }))).toBe(11000);
      expect(await codeOf(c.updateOne({ tenant: 'u', name: 'z' }, { $set: { name: 'z' } }, { upsert: true }))).toBe('no error');
    });

    conforms('a duplicate key error names the index and the values', async () => {
      const c = await world.collection([{ tenant: 't', at: { x: 1 } }]);
      await c.createIndex({ tenant: 1, 'at.x': -1 }, { unique: true });
      const error = await c.insertOne({ tenant: 't', at: { x: 1 } }).catch((e: unknown) => e);
      expect(error).toMatchObject({ code: 11000, keyPattern: { tenant: 1, 'at.x': -1 }, keyValue: { tenant: 't', 'at.x': 1 } });
    });

    conforms('findAndModify reports a duplicate key', async () => {
      const c = await world.collection([{ k: 1 }, { k: 2 }]);
      await c.createIndex({ k: 1 }, { unique: true });
      expect(await codeOf(c.findOneAndUpdate({ k: 2 }, { $set: { k: 1 } }))).toBe(11000);
    });

    conforms('a unique index cannot be made over duplicates', async () => {
      const c = await world.collection([{ a: 1 }, { a: 1 }]);
      expect(await codeOf(c.createIndex({ a: 1 }, { unique: true }))).toBe(11000);
      expect((await c.indexes()).map((i) => i.name)).toEqual(['_id_']);
    });

    conforms('unique on an array counts each element', async () => {
      const c = await world.collection([{ a: [1, 2] }]);
      await c.createIndex({ a: 1 }, { unique: true });
      expect(await codeOf(c.insertOne({ a: [3, 2] }))).toBe(11000);
      expect(await codeOf(c.insertOne({ a: [3, 3] }))).toBe('no error');
    });

    conforms('a partial index covers only its documents', async () => {
      const c = await world.collection();
      await c.createIndex({ name: 1 }, { unique: true, partialFilterExpression: { active: true } });
      await c.insertMany([
        { name: 'a', active: false },
        { name: 'a', active: false },
        { name: 'a', active: true },
      ]);
      expect(await codeOf(c.insertOne({ name: 'a', active: true }))).toBe(11000);
      expect(await codeOf(c.updateOne({ active: false }, { $set: { active: true } }))).toBe(11000);
      expect(await c.countDocuments({ name: 'a' })).toBe(3);
      expect(await c.countDocuments({ name: 'a', active: true })).toBe(1);
    });

    conforms('a sparse unique index leaves out documents without the field', async () => {
      const c = await world.collection();
      await c.createIndex({ email: 1 }, { unique: true, sparse: true });
      await c.insertMany([{ a: 1 }, { a: 2 }, { email: null }]);
      expect(await codeOf(c.insertOne({ email: null }))).toBe(11000);
      expect(await c.find().sort({ email: 1 }).toArray()).toHaveLength(3);
      expect(await c.countDocuments({ email: null })).toBe(3);
    });

    conforms('indexes are listed, changed and dropped', async () => {
      const c = await world.collection([{ a: 1 }]);
      expect(await c.createIndex({ a: 1, b: -1 })).toBe('a_1_b_-1');
      expect(await c.createIndex({ a: 1, b: -1 })).toBe('a_1_b_-1');
      await c.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
      expect((await c.indexes()).map(({ name, key }) => ({ name, key }))).toEqual([
        { name: '_id_', key: { _id: 1 } },
        { name: 'a_1_b_-1', key: { a: 1, b: -1 } },
        { name: 'at_1', key: { at: 1 } },
      ]);
      await c.dropIndex('a_1_b_-1');
      expect((await c.indexes()).map((i) => i.name)).toEqual(['_id_', 'at_1']);
      expect(await codeOf(c.dropIndex('none'))).toBe(27);
      expect(await codeOf(c.dropIndex('_id_'))).toBe(72);
    });

    embeddedOnly(
      'a TTL index deletes what is due, and nothing else',
      async () => {
        const c = await world.collection([
          { _id: 1, at: new Date(Date.now() - 60_000) },
          { _id: 2, at: new Date(Date.now() + 60_000) },
          { _id: 3 },
          { _id: 4, at: 'text' },
          { _id: 5, at: [new Date(Date.now() + 60_000), new Date(0)] },
        ]);
        await c.createIndex({ at: 1 }, { expireAfterSeconds: 1 });
        for (let i = 0; i < 100 && (await c.countDocuments({})) > 3; i++) await new Promise((r) => setTimeout(r, 100));
        expect(ids(await c.find().sort({ _id: 1 }).toArray())).toEqual([2, 3, 4]);
      },
      15_000,
    );

    conforms('an update moves a document in the indexes, wherever its fields come to stand', async () => {
      const c = await world.collection([{ _id: 1, a: 1, b: 1, note: 'x' }]);
      await c.createIndex({ a: 1, b: 1 });
      const found = async (filter: Document) => c.countDocuments(filter, { hint: 'a_1_b_1' });
      await c.updateOne({ _id: 1 as never }, { $set: { a: 22, note: 'longer' } });
      expect([await found({ a: 1 }), await found({ a: 22, b: 1 })]).toEqual([0, 1]);
      await c.updateOne({ _id: 1 as never }, { $set: { a: 'text of another length' } });
      expect([await found({ a: 22 }), await found({ a: 'text of another length', b: 1 })]).toEqual([0, 1]);
      await c.updateOne({ _id: 1 as never }, { $unset: { a: true } });
      expect([await found({ a: 'text of another length' }), await found({ a: null, b: 1 })]).toEqual([0, 1]);
      await c.replaceOne({ _id: 1 as never }, { b: 2, a: 3 });
      expect([await found({ a: null }), await found({ a: 3, b: 2 })]).toEqual([0, 1]);
      await c.replaceOne({ _id: 1 as never }, { note: 'y', a: 3, b: 4 });
      expect([await found({ a: 3, b: 2 }), await found({ a: 3, b: 4 })]).toEqual([0, 1]);
    });

    conforms('an _id and a unique value that nobody had are found once they are there, and gone once they are not', async () => {
      const c = await world.collection();
      await c.createIndex({ k: 1 }, { unique: true });
      const both = async () => [await c.countDocuments({ _id: 1 as never }), await c.countDocuments({ k: 'one' })];
      expect(await both()).toEqual([0, 0]);
      await c.insertOne({ _id: 1 as never, k: 'one' });
      expect(await both()).toEqual([1, 1]);
      expect(await codeOf(c.insertOne({ k: 'one' }))).toBe(11000);
      await c.deleteOne({ _id: 1 as never });
      expect(await both()).toEqual([0, 0]);
      await c.insertOne({ _id: 1 as never, k: 'one' });
      expect(await both()).toEqual([1, 1]);
    });

    conforms('an update cannot bring two arrays side by side', async () => {
      const c = await world.collection([{ _id: 1, a: [1, 2], b: 1, c: 1 }]);
      await c.createIndex({ a: 1, b: 1 });
      expect(await codeOf(c.updateOne({ _id: 1 as never }, { $set: { b: [1] } }))).toBe(171);
      expect(await codeOf(c.updateOne({ _id: 1 as never }, { $set: { c: [1] } }))).toBe('no error');
    });

    conforms('two arrays cannot be indexed side by side', async () => {
      const c = await world.collection();
      await c.createIndex({ a: 1, b: 1 });
      expect(await codeOf(c.insertOne({ a: [1], b: [2] }))).toBe(171);
      expect(await codeOf(c.insertOne({ a: [1], b: 2 }))).toBe('no error');
    });
  });

  describe('collections', () => {
    conforms('are created, listed, renamed and dropped', async () => {
      const c = await world.collection([{ a: 1 }]);
      await world.db.createCollection('made');
      const names = (await world.db.listCollections({}, { nameOnly: true }).toArray()).map((n) => n.name);
      expect(names).toEqual(expect.arrayContaining([c.collectionName, 'made']));
      expect(await world.db.listCollections({ name: 'made' }).toArray()).toHaveLength(1);
      await c.rename('renamed');
      expect(await world.db.collection('renamed').countDocuments()).toBe(1);
      expect(await world.db.collection('renamed').drop()).toBe(true);
      expect((await world.db.listCollections({ name: 'renamed' }).toArray()).length).toBe(0);
    });

    conforms('a collection that exists is not created again', async () => {
      const c = await world.collection([{ a: 1 }]);
      expect(await codeOf(world.db.command({ create: c.collectionName }))).toBe(48);
    });
  });
}
