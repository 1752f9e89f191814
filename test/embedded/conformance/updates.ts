import { Decimal128, Long, ObjectId, type Document } from 'mongodb';
import { codeOf, conforms, ids, type World } from './world.js';

export function updates(world: World): void {
  /** The document that an update makes of another. */
  async function updated(before: Document, update: Document | Document[], filter: Document = {}, options: object = {}): Promise<Document> {
    const c = await world.collection([{ _id: 1, ...before }]);
    await c.updateOne({ _id: 1, ...filter } as Document, update, options);
    const { _id, ...after } = (await c.findOne({ _id: 1 } as Document))!;
    return after;
  }

  describe('updates', () => {
    conforms('$set, $unset and $rename reach into documents and arrays', async () => {
      expect(await updated({ a: 1 }, { $set: { 'b.c.d': 2, a: 'x' } })).toEqual({ a: 'x', b: { c: { d: 2 } } });
      expect(await updated({ a: [1, { b: 2 }] }, { $set: { 'a.1.b': 3, 'a.3': 9 } })).toEqual({ a: [1, { b: 3 }, null, 9] });
      expect(await updated({ a: { b: 1, c: 2 }, d: [1, 2] }, { $unset: { 'a.b': '', 'd.0': '', none: '' } })).toEqual({
        a: { c: 2 },
        d: [null, 2],
      });
      expect(await updated({ a: 1, b: 2 }, { $rename: { a: 'c.d', none: 'x' } })).toEqual({ b: 2, c: { d: 1 } });
    });

    conforms('a change that names its document by _id meets what equals it, and looks at whatever else is asked', async () => {
      const oid = new ObjectId();
      const c = await world.collection([
        { _id: 1, v: 0 },
        { _id: '1', v: 0 },
        { _id: oid, v: 0 },
      ] as Document[]);
      const met = async (filter: Document) => (await c.updateOne(filter, { $inc: { v: 1 } })).matchedCount;
      for (const _id of [1, Long.fromNumber(1), Decimal128.fromString('1.0'), '1', oid]) expect(await met({ _id })).toBe(1);
      expect(await c.distinct('v', { _id: 1 } as Document)).toEqual([3]);
      for (const other of [{ v: 3 }, { $or: [{ v: 0 }, { v: { $gt: 2 } }] }, { $and: [{ _id: { $gt: 0 } }, { v: 5 }] }])
        expect([other, await met({ _id: 1, ...other })]).toEqual([other, 1]);
      for (const other of [{ v: 0 }, { $and: [{ _id: '1' }] }, { none: { $exists: true } }])
        expect([other, await met({ _id: 1, ...other })]).toEqual([other, 0]);
      expect(await met({ $and: [{ _id: '1' }, { v: 1 }] })).toBe(1);
      expect(await met({ $or: [{ _id: 7 }, { _id: 1 }] })).toBe(1);
      expect((await c.deleteOne({ _id: oid, v: 2 } as Document)).deletedCount).toBe(0);
      expect((await c.deleteOne({ _id: oid, v: 1 } as Document)).deletedCount).toBe(1);
      expect(await c.findOneAndUpdate({ _id: '1' } as Document, { $set: { w: 1 } }, { returnDocument: 'after' })).toEqual({
        _id: '1',
        v: 2,
        w: 1,
      });
    });

    conforms('$inc, $mul, $min, $max and $bit', async () => {
      expect(await updated({ a: 1, b: 2.5 }, { $inc: { a: 2, b: 1, c: 3 } })).toEqual({ a: 3, b: 3.5, c: 3 });
      expect(await updated({ a: 3 }, { $mul: { a: 2, b: 5 } })).toEqual({ a: 6, b: 0 });
      expect(await updated({ a: 3, b: 3 }, { $min: { a: 2, b: 4, c: 1 }, $max: { d: 1 } })).toEqual({ a: 2, b: 3, c: 1, d: 1 });
      expect(await updated({ a: 3, b: 3 }, { $max: { a: 2, b: 'text' } })).toEqual({ a: 3, b: 'text' });
      expect(await updated({ a: 12 }, { $bit: { a: { and: 10 } } })).toEqual({ a: 8 });
    });

    conforms('$inc keeps number types and grows an int into a long', async () => {
      const c = await world.collection([{ _id: 1, i: 2_147_483_647, l: Long.fromNumber(1), d: Decimal128.fromString('1.1') }]);
      await c.updateOne({}, { $inc: { i: 1, l: 1, d: Decimal128.fromString('2.2') } });
      const found = (await c.findOne({}, { promoteLongs: false }))!;
      expect(found['i']).toEqual(Long.fromNumber(2_147_483_648));
      expect(found['l']).toEqual(Long.fromNumber(2));
      expect(String(found['d'])).toBe('3.3');
    });

    conforms('array operators', async () => {
      expect(await updated({ a: [1] }, { $push: { a: 2, b: 3 } })).toEqual({ a: [1, 2], b: [3] });
      expect(await updated({ a: [5] }, { $push: { a: { $each: [3, 4], $sort: 1, $slice: 2 } } })).toEqual({ a: [3, 4] });
      expect(await updated({ a: [1, 4] }, { $push: { a: { $each: [2, 3], $position: 1 } } })).toEqual({ a: [1, 2, 3, 4] });
      expect(await updated({ a: [{ k: 2 }] }, { $push: { a: { $each: [{ k: 3 }, { k: 1 }], $sort: { k: -1 }, $slice: -2 } } })).toEqual({
        a: [{ k: 2 }, { k: 1 }],
      });
      expect(await updated({ a: [1] }, { $addToSet: { a: { $each: [1, 2, 2] }, b: { x: 1 } } })).toEqual({ a: [1, 2], b: [{ x: 1 }] });
      expect(await updated({ a: [1, 2, 3], b: [1, 2] }, { $pop: { a: 1, b: -1 } })).toEqual({ a: [1, 2], b: [2] });
      expect(await updated({ a: [1, 2, 3, 1] }, { $pull: { a: 1 } })).toEqual({ a: [2, 3] });
      expect(await updated({ a: [1, 5, 8] }, { $pull: { a: { $gte: 5 } } })).toEqual({ a: [1] });
      expect(
        await updated(
          {
            a: [
              { k: 1, v: 1 },
              { k: 2, v: 2 },
            ],
          },
          { $pull: { a: { k: 1 } } },
        ),
      ).toEqual({ a: [{ k: 2, v: 2 }] });
      expect(await updated({ a: [1, 2, 3] }, { $pullAll: { a: [1, 3] } })).toEqual({ a: [2] });
    });

    conforms('positional operators', async () => {
      expect(await updated({ a: [1, 5, 8] }, { $set: { 'a.$': 0 } }, { a: { $gt: 4 } })).toEqual({ a: [1, 0, 8] });
      expect(await updated({ a: [{ k: 1 }, { k: 2 }] }, { $set: { 'a.$.v': 9 } }, { 'a.k': 2 })).toEqual({ a: [{ k: 1 }, { k: 2, v: 9 }] });
      expect(
        await updated(
          {
            a: [
              { k: 1, n: 1 },
              { k: 1, n: 2 },
            ],
          },
          { $inc: { 'a.$.n': 10 } },
          { a: { $elemMatch: { k: 1, n: 2 } } },
        ),
      ).toEqual({
        a: [
          { k: 1, n: 1 },
          { k: 1, n: 12 },
        ],
      });
      expect(await updated({ a: [1, 2] }, { $inc: { 'a.$[]': 1 } })).toEqual({ a: [2, 3] });
      expect(
        await updated({ a: [{ g: 80 }, { g: 95 }] }, { $set: { 'a.$[e].top': true } }, {}, { arrayFilters: [{ 'e.g': { $gte: 90 } }] }),
      ).toEqual({ a: [{ g: 80 }, { g: 95, top: true }] });
    });

    conforms('a pipeline update computes from the document', async () => {
      expect(await updated({ a: 2, b: 3 }, [{ $set: { c: { $add: ['$a', '$b'] } } }, { $unset: ['a'] }])).toEqual({ b: 3, c: 5 });
    });

    conforms('$currentDate and $setOnInsert', async () => {
      expect((await updated({}, { $currentDate: { at: true } }))['at']).toBeInstanceOf(Date);
      expect(await updated({ a: 1 }, { $setOnInsert: { b: 1 }, $set: { a: 2 } })).toEqual({ a: 2 });
    });

    conforms('a replacement keeps the _id', async () => {
      const c = await world.collection([{ _id: 7, a: 1, b: 2 }]);
      await c.replaceOne({ a: 1 }, { c: 3 });
      expect(await c.findOne()).toEqual({ _id: 7, c: 3 });
    });

    conforms('matched and modified are counted apart', async () => {
      const c = await world.collection([{ a: 1 }, { a: 1 }, { a: 2 }]);
      expect(await c.updateMany({ a: 1 }, { $set: { a: 1 } })).toMatchObject({ matchedCount: 2, modifiedCount: 0 });
      expect(await c.updateMany({}, { $max: { a: 2 } })).toMatchObject({ matchedCount: 3, modifiedCount: 2 });
      expect(await c.deleteMany({ a: 2 })).toMatchObject({ deletedCount: 3 });
    });

    conforms('upsert takes equal fields of the filter', async () => {
      const c = await world.collection();
      const result = await c.updateOne(
        { a: 1, 'b.c': 2, $and: [{ d: 3 }], e: { $gt: 5 } },
        { $set: { f: 4 }, $setOnInsert: { g: 5 } },
        { upsert: true },
      );
      expect(result).toMatchObject({ matchedCount: 0, upsertedCount: 1 });
      expect(result.upsertedId).toBeInstanceOf(ObjectId);
      expect(await c.findOne({}, { projection: { _id: 0 } })).toEqual({ a: 1, b: { c: 2 }, d: 3, f: 4, g: 5 });
      await c.updateOne({ _id: new ObjectId('507f1f77bcf86cd799439011') }, { $inc: { n: 1 } }, { upsert: true });
      expect(await c.findOne({ n: 1 })).toEqual({ _id: new ObjectId('507f1f77bcf86cd799439011'), n: 1 });
      await c.replaceOne({ r: 1 }, { s: 2 }, { upsert: true });
      expect(await c.findOne({ s: 2 }, { projection: { _id: 0 } })).toEqual({ s: 2 });
    });

    conforms('wrong updates are errors', async () => {
      const c = await world.collection([{ _id: 1, a: 'x', b: [1] }]);
      expect(await codeOf(c.updateOne({}, { $inc: { a: 1 } }))).toBe(14);
      expect(await codeOf(c.updateOne({}, { $push: { a: 1 } as Document }))).toBe(2);
      expect(await codeOf(c.updateOne({}, { $set: { 'a.b': 1 } }))).toBe(28);
      expect(await codeOf(c.updateOne({}, { $set: { _id: 2 } }))).toBe(66);
      expect(await codeOf(c.updateOne({}, { $set: { a: 1, 'a.b': 2 } }))).toBe(40);
      expect(await codeOf(c.updateOne({}, { $nonsense: { a: 1 } }))).toBe(9);
      expect(await c.findOne()).toEqual({ _id: 1, a: 'x', b: [1] });
    });

    conforms('findAndModify in its variants', async () => {
      const c = await world.collection([
        { _id: 1, n: 1 },
        { _id: 2, n: 2 },
        { _id: 3, n: 3 },
      ]);
      expect(await c.findOneAndUpdate({ n: { $gt: 1 } }, { $inc: { n: 10 } }, { sort: { n: -1 } })).toEqual({ _id: 3, n: 3 });
      expect(
        await c.findOneAndUpdate({ _id: 3 as never }, { $inc: { n: 1 } }, { returnDocument: 'after', projection: { n: 1, _id: 0 } }),
      ).toEqual({ n: 14 });
      expect(await c.findOneAndReplace({ _id: 2 as never }, { m: 1 }, { returnDocument: 'after' })).toEqual({ _id: 2, m: 1 });
      expect(await c.findOneAndDelete({ _id: 1 as never })).toEqual({ _id: 1, n: 1 });
      expect(await c.findOneAndUpdate({ _id: 9 as never }, { $set: { n: 9 } })).toBeNull();
      expect(await c.findOneAndUpdate({ _id: 9 as never }, { $set: { n: 9 } }, { upsert: true, returnDocument: 'after' })).toEqual({
        _id: 9,
        n: 9,
      });
      expect(await c.findOneAndUpdate({ _id: 10 as never }, { $set: { n: 1 } }, { upsert: true })).toBeNull();
      expect(ids(await c.find().sort({ _id: 1 }).toArray())).toEqual([2, 3, 9, 10]);
    });

    conforms('bulk writes stop at an error when ordered and go on when not', async () => {
      const operations = [1, 1, 2].map((id) => ({ insertOne: { document: { _id: id as never } } }));
      const ordered = await world.collection([{ _id: 0 }]);
      const error = await ordered.bulkWrite(operations).catch((e: { code: number; writeErrors: { index: number; code: number }[] }) => e);
      expect(error).toMatchObject({ code: 11000 });
      expect(ids(await ordered.find().sort({ _id: 1 }).toArray())).toEqual([0, 1]);
      const unordered = await world.collection([{ _id: 0 }]);
      expect(await codeOf(unordered.bulkWrite(operations, { ordered: false }))).toBe(11000);
      expect(ids(await unordered.find().sort({ _id: 1 }).toArray())).toEqual([0, 1, 2]);
    });
  });
}
