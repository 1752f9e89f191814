import { Binary, Decimal128, Double, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'mongodb';
import { codeOf, conforms, ids, type World } from './world.js';

export function crud(world: World): void {
  describe('documents and filters', () => {
    conforms('every BSON type comes back as it was written', async () => {
      const c = await world.collection();
      const document = {
        _id: new ObjectId(),
        long: Long.fromString('9007199254740993'),
        decimal: Decimal128.fromString('12345678901234567890.123456789'),
        date: new Date(1_700_000_000_123),
        binary: new Binary(Buffer.from([0, 1, 255]), 0),
        text: 'Grüße 𝄞 \u0000 end',
        no: null,
        yes: true,
        double: 1.5,
        nested: { a: [1, { b: 'x' }] },
        regex: /^a.b$/i,
        time: new Timestamp({ t: 5, i: 6 }),
      };
      await c.insertOne(document);
      const found = await c.findOne({ _id: document._id }, { promoteLongs: false, promoteValues: true });
      expect(found).toEqual({ ...document, regex: expect.anything() });
      expect(found!['long']).toEqual(document.long);
      const typed = await c.findOne({}, { projection: { double: 1 }, promoteValues: false });
      expect(typed!['double']).toBeInstanceOf(Double);
    });

    conforms('a filter tells null from missing', async () => {
      const c = await world.collection([{ _id: 1, a: null }, { _id: 2 }, { _id: 3, a: 0 }, { _id: 4, a: [null] }, { _id: 5, a: [] }]);
      expect(ids(await c.find({ a: null }).sort({ _id: 1 }).toArray())).toEqual([1, 2, 4]);
      expect(
        ids(
          await c
            .find({ a: { $exists: true } })
            .sort({ _id: 1 })
            .toArray(),
        ),
      ).toEqual([1, 3, 4, 5]);
      expect(ids(await c.find({ a: { $exists: false } }).toArray())).toEqual([2]);
      expect(
        ids(
          await c
            .find({ a: { $ne: null } })
            .sort({ _id: 1 })
            .toArray(),
        ),
      ).toEqual([3, 5]);
      expect(
        ids(
          await c
            .find({ a: { $type: 'null' } })
            .sort({ _id: 1 })
            .toArray(),
        ),
      ).toEqual([1, 4]);
    });

    conforms('comparisons stay within the type', async () => {
      const values = [1, 2.5, Long.fromNumber(3), Decimal128.fromString('4.5'), 'b', new Date(5), null, true, { x: 1 }];
      const c = await world.collection(values.map((v, i) => ({ _id: i, v })));
      expect(
        ids(
          await c
            .find({ v: { $gt: 1 } })
            .sort({ _id: 1 })
            .toArray(),
        ),
      ).toEqual([1, 2, 3]);
      expect(ids(await c.find({ v: { $lt: 'c' } }).toArray())).toEqual([4]);
      expect(ids(await c.find({ v: { $gte: new Date(0) } }).toArray())).toEqual([5]);
      expect(ids(await c.find({ v: Long.fromNumber(1) }).toArray())).toEqual([0]);
      expect(ids(await c.find({ v: Decimal128.fromString('2.50') }).toArray())).toEqual([1]);
      expect(ids(await c.find({ v: { $lte: true } }).toArray())).toEqual([7]);
      expect(ids(await c.find({ v: { $gte: null } }).toArray())).toEqual([6]);
    });

    conforms('integers beyond 2^53 compare exactly', async () => {
      const c = await world.collection([
        { _id: 1, v: Long.fromString('9007199254740992') },
        { _id: 2, v: Long.fromString('9007199254740993') },
      ]);
      expect(ids(await c.find({ v: Long.fromString('9007199254740993') }).toArray())).toEqual([2]);
      expect(ids(await c.find({ v: { $gt: Long.fromString('9007199254740992') } }).toArray())).toEqual([2]);
      await c.createIndex({ v: 1 });
      expect(ids(await c.find({ v: { $gt: Long.fromString('9007199254740992') } }).toArray())).toEqual([2]);
    });

    conforms('arrays match by element and as a whole', async () => {
      const c = await world.collection([
        { _id: 1, a: [1, 2, 3] },
        { _id: 2, a: 2 },
        { _id: 3, a: [[1, 2], 5] },
        {
          _id: 4,
          a: [
            { b: 1, c: 2 },
            { b: 3, c: 4 },
          ],
        },
      ]);
      expect(ids(await c.find({ a: 2 }).sort({ _id: 1 }).toArray())).toEqual([1, 2]);
      expect(ids(await c.find({ a: [1, 2, 3] }).toArray())).toEqual([1]);
      expect(ids(await c.find({ a: [1, 2] }).toArray())).toEqual([3]);
      expect(ids(await c.find({ 'a.b': 3 }).toArray())).toEqual([4]);
      expect(ids(await c.find({ 'a.b': 1, 'a.c': 4 }).toArray())).toEqual([4]);
      expect(ids(await c.find({ a: { $elemMatch: { b: 1, c: 4 } } }).toArray())).toEqual([]);
      expect(ids(await c.find({ a: { $elemMatch: { b: 3, c: 4 } } }).toArray())).toEqual([4]);
      expect(ids(await c.find({ a: { $elemMatch: { $gte: 2, $lt: 3 } } }).toArray())).toEqual([1]);
      expect(ids(await c.find({ 'a.1': 2 }).toArray())).toEqual([1]);
      expect(ids(await c.find({ 'a.1.b': 3 }).toArray())).toEqual([4]);
      expect(
        ids(
          await c
            .find({ a: { $size: 2 } })
            .sort({ _id: 1 })
            .toArray(),
        ),
      ).toEqual([3, 4]);
      expect(ids(await c.find({ a: { $all: [1, 3] } }).toArray())).toEqual([1]);
      expect(
        ids(
          await c
            .find({ a: { $gt: 1, $lt: 2 } })
            .sort({ _id: 1 })
            .toArray(),
        ),
      ).toEqual([1]);
    });

    conforms('logical, pattern and remaining operators', async () => {
      const c = await world.collection([
        { _id: 1, s: 'Apple', n: 4 },
        { _id: 2, s: 'banana', n: 5 },
        { _id: 3, s: 'cherry\nApple', n: 6 },
        { _id: 4, n: -3 },
      ]);
      const find = async (filter: object): Promise<unknown[]> => ids(await c.find(filter).sort({ _id: 1 }).toArray());
      expect(await find({ $or: [{ s: 'Apple' }, { n: 6 }] })).toEqual([1, 3]);
      expect(await find({ $nor: [{ s: 'Apple' }, { n: 6 }] })).toEqual([2, 4]);
      expect(await find({ $and: [{ n: { $gt: 3 } }, { n: { $lt: 6 } }] })).toEqual([1, 2]);
      expect(await find({ n: { $not: { $gt: 4 } } })).toEqual([1, 4]);
      expect(await find({ s: /^apple/i })).toEqual([1]);
      expect(await find({ s: { $regex: '^Apple', $options: 'm' } })).toEqual([1, 3]);
      expect(await find({ s: { $in: [/an/, 'Apple'] } })).toEqual([1, 2]);
      expect(await find({ s: { $nin: ['Apple', null] } })).toEqual([2, 3]);
      expect(await find({ s: { $not: /a/ } })).toEqual([1, 3, 4]);
      expect(await find({ n: { $mod: [2, 0] } })).toEqual([1, 3]);
      expect(await find({ n: { $type: 'int' } })).toEqual([1, 2, 3, 4]);
      expect(await find({ $expr: { $gt: ['$n', 4] } })).toEqual([2, 3]);
      expect(await find({ n: { $bitsAllSet: 4 } })).toEqual([1, 2, 3, 4]);
      expect(await find({ n: { $in: [] } })).toEqual([]);
    });

    conforms('sort follows the order across types', async () => {
      const values: unknown[] = [
        new MaxKey(), /x/, new Timestamp({ t: 1, i: 1 }), new Date(0), true, false, new ObjectId('507f1f77bcf86cd799439011'), new Binary(Buffer.from('a')),
        { a: 2 }, { a: 1 }, 'b', 'a', '', 10, Long.fromNumber(9), Decimal128.fromString('8.5'), -1.5, Number.NEGATIVE_INFINITY, null, new MinKey(),
      ]; // prettier-ignore
      const c = await world.collection(values.map((v, i) => ({ _id: i, v })));
      const expected = values.map((_, i) => i).reverse();
      expect(ids(await c.find().sort({ v: 1 }).toArray())).toEqual(expected);
      expect(ids(await c.find().sort({ v: -1 }).toArray())).toEqual([...expected].reverse());
      await c.createIndex({ v: 1 });
      expect(ids(await c.find().sort({ v: 1 }).toArray())).toEqual(expected);
      expect(ids(await c.find().sort({ v: -1 }).toArray())).toEqual([...expected].reverse());
    });

    conforms('sort by arrays, missing fields and several keys', async () => {
      const c = await world.collection([
        { _id: 1, a: [5, 1], b: 1 },
        { _id: 2, a: 3, b: 2 },
        { _id: 3, b: 1 },
        { _id: 4, a: [9, 4], b: 2 },
      ]);
      expect(ids(await c.find().sort({ a: 1 }).toArray())).toEqual([3, 1, 2, 4]);
      expect(ids(await c.find().sort({ a: -1 }).toArray())).toEqual([4, 1, 2, 3]);
      expect(ids(await c.find().sort({ b: -1, _id: 1 }).toArray())).toEqual([2, 4, 1, 3]);
      expect(ids(await c.find().sort({ b: 1, _id: -1 }).skip(1).limit(2).toArray())).toEqual([1, 4]);
    });

    conforms('an empty array sorts before a missing field', async () => {
      const c = await world.collection([{ _id: 1 }, { _id: 2, a: [] }, { _id: 3, a: null }]);
      expect(ids(await c.find().sort({ a: 1, _id: 1 }).toArray())).toEqual([2, 1, 3]);
    });

    conforms('text sorts by code point', async () => {
      const c = await world.collection(['\u{1d11e}', '\uffee', 'ä', 'z', 'Z', 'a'].map((v, i) => ({ _id: i, v })));
      expect(ids(await c.find().sort({ v: 1 }).toArray())).toEqual([4, 5, 3, 2, 1, 0]);
    });

    conforms('projections include, exclude and slice', async () => {
      const c = await world.collection([{ _id: 1, a: 1, b: { c: 2, d: 3 }, e: [{ f: 1, g: 2 }, { f: 3 }, 4], h: [1, 2, 3, 4] }]);
      const project = async (projection: object): Promise<unknown> => c.findOne({}, { projection });
      expect(await project({ a: 1, 'b.c': 1 })).toEqual({ _id: 1, a: 1, b: { c: 2 } });
      expect(await project({ a: 0, b: 0, e: 0, _id: 0 })).toEqual({ h: [1, 2, 3, 4] });
      expect(await project({ 'e.f': 1, _id: 0 })).toEqual({ e: [{ f: 1 }, { f: 3 }] });
      expect(await project({ 'e.f': 0, a: 0, b: 0, h: 0 })).toEqual({ _id: 1, e: [{ g: 2 }, {}, 4] });
      expect(await project({ _id: 1 })).toEqual({ _id: 1 });
      expect(await project({ h: { $slice: 2 }, a: 1 })).toEqual({ _id: 1, a: 1, h: [1, 2] });
      expect(await project({ h: { $slice: [-3, 2] }, a: 1 })).toEqual({ _id: 1, a: 1, h: [2, 3] });
      expect(await project({ e: { $elemMatch: { f: 3 } } })).toEqual({ _id: 1, e: [{ f: 3 }] });
      expect(await project({ sum: { $add: ['$a', '$b.c'] }, _id: 0 })).toEqual({ sum: 3 });
    });

    conforms('an inclusion beside an exclusion is refused', async () => {
      const c = await world.collection([{ a: 1 }]);
      expect(await codeOf(c.findOne({}, { projection: { a: 1, b: 0 } }))).toBe(31254);
      expect(await codeOf(c.findOne({}, { projection: { a: 0, b: 1 } }))).toBe(31253);
    });

    conforms('count, distinct and estimated count', async () => {
      const c = await world.collection([{ a: 1, t: ['x', 'y'] }, { a: 2, t: ['y'] }, { a: 2, t: 'z' }, { a: null }, {}]);
      expect(await c.countDocuments({ a: { $gte: 1 } })).toBe(3);
      expect(await c.countDocuments({}, { skip: 1, limit: 3 })).toBe(3);
      expect(await c.estimatedDocumentCount()).toBe(5);
      expect((await c.distinct('t')).sort()).toEqual(['x', 'y', 'z']);
      expect(await c.distinct('a', { a: 2 })).toEqual([2]);
      expect(await world.db.collection('nothing').countDocuments({})).toBe(0);
    });
  });
}
