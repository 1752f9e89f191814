import { Long } from 'mongodb';
import { codeOf, conforms, embeddedOnly, ids, type World } from './world.js';

export function cursors(world: World): void {
  describe('cursors', () => {
    conforms('batches, and what changes in between', async () => {
      const c = await world.collection(Array.from({ length: 250 }, (_, i) => ({ _id: i, a: i })));
      await c.createIndex({ a: 1 });
      const cursor = c
        .find({ a: { $gte: 0 } })
        .sort({ a: 1 })
        .batchSize(10);
      expect((await cursor.next())!['_id']).toBe(0);
      await c.deleteOne({ _id: 11 as never });
      await c.insertOne({ _id: 1000 as never, a: 12.5 });
      await c.updateMany({ a: { $gt: 200 } }, { $set: { b: 1 } });
      const rest = ids(await cursor.toArray());
      expect(rest.slice(0, 3)).toEqual([1, 2, 3]);
      expect(new Set(rest).size).toBe(rest.length);
      expect(rest.length).toBeGreaterThanOrEqual(248);
    });

    conforms('getMore, limit, batchSize 0 and killCursors', async () => {
      const c = await world.collection(Array.from({ length: 30 }, (_, i) => ({ _id: i })));
      const first = await world.db.command({ find: c.collectionName, batchSize: 0 });
      expect(first['cursor'].firstBatch).toEqual([]);
      const id = Long.fromNumber(Number(first['cursor'].id));
      const more = await world.db.command({ getMore: id, collection: c.collectionName, batchSize: 20 });
      expect(more['cursor'].nextBatch).toHaveLength(20);
      expect(await world.db.command({ killCursors: c.collectionName, cursors: [id] })).toMatchObject({ ok: 1 });
      expect(await codeOf(world.db.command({ getMore: id, collection: c.collectionName }))).toBe(43);
      const single = await world.db.command({ find: c.collectionName, limit: 5, singleBatch: true });
      expect(Number(single['cursor'].id)).toBe(0);
      expect(await c.find().batchSize(7).limit(20).toArray()).toHaveLength(20);
      expect(await c.aggregate([{ $match: {} }], { batchSize: 4 }).toArray()).toHaveLength(30);
    });

    conforms('a large result comes in replies of a bearable size', async () => {
      const c = await world.collection();
      const text = 'x'.repeat(1_000_000);
      for (let i = 0; i < 20; i++) await c.insertOne({ _id: i as never, text });
      const found = await c.find().batchSize(1000).toArray();
      expect(found.map((d) => (d['text'] as string).length)).toEqual(Array.from({ length: 20 }, () => 1_000_000));
    });
  });

  describe('errors', () => {
    conforms('a document above 16 MB is refused', async () => {
      const c = await world.collection([{ _id: 1, a: 'x'.repeat(9_000_000) }]);
      expect([10334, 17419, 17420]).toContain(await codeOf(c.updateOne({}, { $set: { b: 'x'.repeat(9_000_000) } })));
    });

    conforms('unknown commands and bad arguments', async () => {
      expect(await codeOf(world.db.command({ nonsense: 1 }))).toBe(59);
      const c = await world.collection([{ a: 1 }]);
      expect(await codeOf(c.find({ $and: [] }).toArray())).toBe(2);
      expect(await codeOf(c.find({ a: { $in: 1 as never } }).toArray())).toBe(2);
      expect(await codeOf(c.insertOne({ _id: [1] as never }))).not.toBe('no error');
    });

    embeddedOnly('what is not supported is an error', async () => {
      const c = await world.collection([{ a: 1, b: 'x' }]);
      const refused: Promise<unknown>[] = [
        c.find({}, { collation: { locale: 'de' } }).toArray(),
        c.find({ $where: 'true' }).toArray(),
        c.find({ $text: { $search: 'x' } }).toArray(),
        c.find({ a: { $near: [0, 0] } }).toArray(),
        c.find({ $jsonSchema: {} }).toArray(),
        c.aggregate([{ $merge: 'other' }]).toArray(),
        c.aggregate([{ $out: 'other' }]).toArray(),
        c.aggregate([{ $changeStream: {} }]).toArray(),
        c.aggregate([{ $project: { x: { $function: { body: 'f', args: [], lang: 'js' } } } }]).toArray(),
        c.aggregate([{ $group: { _id: null, x: { $accumulator: {} } } }]).toArray(),
        c.createIndex({ b: 'text' }),
        c.createIndex({ '$**': 1 }),
        c.createIndex({ a: 1 }, { collation: { locale: 'de' } }),
        world.db.createCollection('capped', { capped: true, size: 1000 }),
      ];
      expect(await Promise.all(refused.map(codeOf))).toEqual(refused.map(() => 115));
    });
  });
}
