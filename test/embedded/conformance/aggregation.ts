import { Long, type Document } from 'mongodb';
import { codeOf, conforms, type World } from './world.js';

const SALES: Document[] = [
  { _id: 1, shop: 'a', item: 'x', n: 2, price: 1.5, tags: ['new', 'red'], at: new Date('2025-01-03T10:00:00Z') },
  { _id: 2, shop: 'a', item: 'y', n: 5, price: 2, tags: ['red'], at: new Date('2025-01-03T12:00:00Z') },
  { _id: 3, shop: 'b', item: 'x', n: 1, price: 4, tags: [], at: new Date('2025-02-01T00:00:00Z') },
  { _id: 4, shop: 'b', item: 'z', n: 3, price: null, at: new Date('2025-02-02T00:00:00Z') },
  { _id: 5, shop: null, item: 'z', n: 4 },
];

export function aggregation(world: World): void {
  async function aggregate(pipeline: Document[], documents = SALES): Promise<Document[]> {
    return (await world.collection(documents)).aggregate(pipeline).toArray();
  }

  describe('aggregation', () => {
    conforms('$group with its accumulators', async () => {
      const groups = await aggregate([
        {
          $group: {
            _id: '$shop',
            n: { $sum: '$n' },
            c: { $sum: 1 },
            avg: { $avg: '$price' },
            min: { $min: '$price' },
            max: { $max: '$n' },
            items: { $addToSet: '$item' },
            all: { $push: '$n' },
          },
        },
        { $sort: { _id: 1 } },
      ]);
      expect(groups.map((g) => ({ ...g, items: (g['items'] as string[]).sort() }))).toEqual([
        { _id: null, n: 4, c: 1, avg: null, min: null, max: 4, items: ['z'], all: [4] },
        { _id: 'a', n: 7, c: 2, avg: 1.75, min: 1.5, max: 5, items: ['x', 'y'], all: [2, 5] },
        { _id: 'b', n: 4, c: 2, avg: 4, min: 4, max: 3, items: ['x', 'z'], all: [1, 3] },
      ]);
    });

    conforms('$group by several fields, by an expression and over all', async () => {
      expect(
        await aggregate([
          { $group: { _id: { shop: '$shop', item: '$item' }, n: { $sum: 1 } } },
          { $sort: { '_id.shop': 1, '_id.item': 1 } },
          { $limit: 2 },
        ]),
      ).toEqual([
        { _id: { shop: null, item: 'z' }, n: 1 },
        { _id: { shop: 'a', item: 'x' }, n: 1 },
      ]);
      expect(
        await aggregate([
          {
            $group: {
              _id: null,
              total: { $sum: { $multiply: ['$n', { $ifNull: ['$price', 0] }] } },
              first: { $first: '$item' },
              last: { $last: '$item' },
            },
          },
        ]),
      ).toEqual([{ _id: null, total: 17, first: 'x', last: 'z' }]);
      expect(await aggregate([{ $group: { _id: { $gt: ['$n', 2] }, n: { $sum: 1 } } }, { $sort: { _id: 1 } }])).toEqual([
        { _id: false, n: 2 },
        { _id: true, n: 3 },
      ]);
    });

    conforms('$unwind, $sortByCount, $count, $skip and $limit', async () => {
      expect(await aggregate([{ $unwind: '$tags' }, { $sortByCount: '$tags' }])).toEqual([
        { _id: 'red', count: 2 },
        { _id: 'new', count: 1 },
      ]);
      expect(
        await aggregate([{ $unwind: { path: '$tags', preserveNullAndEmptyArrays: true, includeArrayIndex: 'i' } }, { $count: 'n' }]),
      ).toEqual([{ n: 6 }]);
      expect(await aggregate([{ $match: { n: { $gt: 1 } } }, { $count: 'n' }])).toEqual([{ n: 4 }]);
      expect(
        (await aggregate([{ $sort: { n: -1 } }, { $skip: 1 }, { $limit: 2 }, { $project: { n: 1 } }])).map((d) => d['n'] as number),
      ).toEqual([4, 3]);
      expect((await aggregate([{ $limit: 3 }, { $match: { n: { $gt: 1 } } }])).length).toBe(2);
    });

    conforms('a count of nothing is no document', async () => {
      expect(await aggregate([{ $match: { n: 99 } }, { $count: 'n' }])).toEqual([]);
    });

    conforms('$project, $addFields, $unset and $replaceRoot', async () => {
      expect(
        await aggregate([
          { $match: { _id: 1 } },
          { $project: { _id: 0, shop: 1, total: { $multiply: ['$n', '$price'] }, tag: { $arrayElemAt: ['$tags', 0] } } },
        ]),
      ).toEqual([{ shop: 'a', total: 3, tag: 'new' }]);
      expect(await aggregate([{ $match: { _id: 1 } }, { $addFields: { 'x.y': '$n' } }, { $unset: ['tags', 'at', 'price'] }])).toEqual([
        { _id: 1, shop: 'a', item: 'x', n: 2, x: { y: 2 } },
      ]);
      expect(await aggregate([{ $match: { _id: 1 } }, { $replaceRoot: { newRoot: { k: '$item' } } }])).toEqual([{ k: 'x' }]);
      expect(await aggregate([{ $match: { _id: 1 } }, { $project: { tags: 0, at: 0, price: 0 } }])).toEqual([
        { _id: 1, shop: 'a', item: 'x', n: 2 },
      ]);
    });

    conforms('expressions', async () => {
      const [result] = await aggregate(
        [
          {
            $project: {
              _id: 0,
              cond: { $cond: [{ $gte: ['$n', 2] }, 'many', 'few'] },
              sw: { $switch: { branches: [{ case: { $eq: ['$n', 1] }, then: 'one' }], default: 'other' } },
              concat: { $concat: ['$s', '-', { $toUpper: '$s' }] },
              size: { $size: '$a' },
              filter: { $filter: { input: '$a', as: 'i', cond: { $gt: ['$$i', 1] } } },
              map: { $map: { input: '$a', in: { $multiply: ['$$this', 2] } } },
              reduce: { $reduce: { input: '$a', initialValue: 0, in: { $add: ['$$value', '$$this'] } } },
              inArray: { $in: [2, '$a'] },
              missingLess: { $lt: ['$none', null] },
              nullLess: { $lt: [null, 5] },
              textGreater: { $gt: ['text', 5] },
              date: { $dateToString: { date: '$at', format: '%Y-%m-%d' } },
              merged: { $mergeObjects: ['$o', { b: 2 }] },
              pairs: { $objectToArray: '$o' },
              min: { $min: ['$n', 1] },
              and: { $and: [true, '$n'] },
              divide: { $divide: ['$n', 4] },
              ifNull: { $ifNull: ['$none', 'dflt'] },
              literal: { $literal: '$n' },
            },
          },
        ],
        [{ _id: 1, n: 2, s: 'ab', a: [1, 2, 3], at: new Date('2025-03-04T05:06:07Z'), o: { a: 1 } }],
      );
      expect(result).toEqual({
        cond: 'many', sw: 'other', concat: 'ab-AB', size: 3, filter: [2, 3], map: [2, 4, 6], reduce: 6, inArray: true, missingLess: true, nullLess: true,
        textGreater: true, date: '2025-03-04', merged: { a: 1, b: 2 }, pairs: [{ k: 'a', v: 1 }], min: 1, and: true, divide: 0.5, ifNull: 'dflt', literal: '$n',
      }); // prettier-ignore
    });

    conforms('$lookup by field and by pipeline', async () => {
      const shops = await world.collection([
        { _id: 'a', city: 'Rome' },
        { _id: 'b', city: 'Oslo' },
        { _id: 'c', none: 1 },
      ]);
      const by = (stage: Document): Promise<Document[]> =>
        aggregate([
          { $lookup: { from: shops.collectionName, as: 's', ...stage } },
          { $match: { _id: { $in: [1, 5] } } },
          { $project: { s: 1 } },
          { $sort: { _id: 1 } },
        ]);
      expect(await by({ localField: 'shop', foreignField: '_id' })).toEqual([
        { _id: 1, s: [{ _id: 'a', city: 'Rome' }] },
        { _id: 5, s: [] },
      ]);
      expect(
        await by({ let: { id: '$shop' }, pipeline: [{ $match: { $expr: { $eq: ['$_id', '$$id'] } } }, { $project: { _id: 0, city: 1 } }] }),
      ).toEqual([
        { _id: 1, s: [{ city: 'Rome' }] },
        { _id: 5, s: [] },
      ]);
      expect(await by({ pipeline: [{ $match: { city: 'Oslo' } }, { $project: { _id: 1 } }] })).toEqual([
        { _id: 1, s: [{ _id: 'b' }] },
        { _id: 5, s: [{ _id: 'b' }] },
      ]);
    });

    conforms('$lookup through an array of local values', async () => {
      const tags = await world.collection([{ name: 'red', v: 1 }, { name: 'new', v: 2 }, { v: 3 }]);
      const found = await aggregate([
        { $match: { _id: { $lte: 2 } } },
        { $lookup: { from: tags.collectionName, localField: 'tags', foreignField: 'name', as: 't' } },
        { $project: { v: '$t.v' } },
        { $sort: { _id: 1 } },
      ]);
      expect(found.map((d) => (d['v'] as number[]).sort())).toEqual([[1, 2], [1]]);
    });

    conforms('$facet and $unionWith', async () => {
      const c = await world.collection([{ _id: 'u', n: 100 }]);
      expect(
        await aggregate([
          {
            $facet: {
              shops: [{ $group: { _id: '$shop' } }, { $sort: { _id: 1 } }],
              total: [{ $count: 'n' }],
              top: [{ $sort: { n: -1 } }, { $limit: 1 }, { $project: { n: 1 } }],
            },
          },
        ]),
      ).toEqual([{ shops: [{ _id: null }, { _id: 'a' }, { _id: 'b' }], total: [{ n: 5 }], top: [{ _id: 2, n: 5 }] }]);
      expect(await aggregate([{ $project: { n: 1 } }, { $unionWith: c.collectionName }, { $sort: { n: -1 } }, { $limit: 1 }])).toEqual([
        { _id: 'u', n: 100 },
      ]);
    });

    conforms('$bucket and $graphLookup', async () => {
      expect(await aggregate([{ $bucket: { groupBy: '$n', boundaries: [0, 3, 10], output: { c: { $sum: 1 } } } }])).toEqual([
        { _id: 0, c: 2 },
        { _id: 3, c: 3 },
      ]);
      const edges = await world.collection([{ _id: 1, to: 2 }, { _id: 2, to: 3 }, { _id: 3 }]);
      const [found] = await edges
        .aggregate([
          { $match: { _id: 1 as never } },
          { $graphLookup: { from: edges.collectionName, startWith: '$to', connectFromField: 'to', connectToField: '_id', as: 'path' } },
        ])
        .toArray();
      expect((found!['path'] as Document[]).map((d) => d['_id'] as number).sort()).toEqual([2, 3]);
    });

    conforms('sums of int64 stay exact', async () => {
      const c = await world.collection([{ v: Long.fromString('9007199254740993') }, { v: 1 }]);
      const [sum] = await c.aggregate([{ $group: { _id: null, s: { $sum: '$v' } } }], { promoteLongs: false }).toArray();
      expect(String(sum!['s'])).toBe('9007199254740994');
    });

    conforms('mistakes in a pipeline are errors, even without documents', async () => {
      const c = await world.collection();
      await world.db.createCollection(c.collectionName);
      expect(await codeOf(c.aggregate([{ $nonsense: 1 }]).toArray())).toBe(40324);
      expect(await codeOf(c.aggregate([{ $project: { a: { $nonsense: 1 } } }]).toArray())).not.toBe('no error');
      expect(await codeOf(c.aggregate([{ $group: { n: { $sum: 1 } } }]).toArray())).toBe(15955);
      expect(await codeOf(c.aggregate([{ $group: { _id: 1, n: { $nonsense: 1 } } }]).toArray())).toBe(15952);
      expect(await codeOf(c.find({ a: { $nonsense: 1 } }).toArray())).toBe(2);
      expect(await codeOf(c.find({ $nonsense: 1 }).toArray())).toBe(2);
    });
  });
}
