import { MongoClient, type Collection, type Document, type Filter, type Sort } from 'mongodb';
import { openEmbeddedStore, type EmbeddedStore } from '../../embedded/index.js';
import { pick, random } from '../contract/list-model.js';

// Many values of an index are walked in one reading that passes over what lies between: held against the same documents without an index.
const next = random(7);
const below = (most: number): number => Math.floor(next() * most);
let store: EmbeddedStore;
let client: MongoClient;
let indexed: Collection;
let plain: Collection;

beforeAll(async () => {
  store = await openEmbeddedStore({ dir: null });
  client = await new MongoClient(store.uri).connect();
  [indexed, plain] = [client.db('test').collection('indexed'), client.db('test').collection('plain')];
  const documents = Array.from({ length: 1_500 }, (_, n): Document => ({
    _id: n as never,
    tenant: pick(next, ['a', 'b', 'c']),
    // some values have many documents, most have one or none
    group: below(4) === 0 ? below(5) : 10 + below(4_000),
    rank: below(6),
    tags: Array.from({ length: below(4) }, () => below(300)),
  }));
  for (const rows of [indexed, plain]) await rows.insertMany(documents.map((one) => ({ ...one })));
  await indexed.createIndexes([
    { key: { tenant: 1, group: 1, rank: -1 } },
    { key: { tenant: 1, rank: -1, group: -1 } },
    { key: { tags: 1 } },
    { key: { group: -1 } },
  ]);
});
afterAll(async () => {
  await client.close();
  await store.close();
});

const some = (most: number, from: number) => Array.from({ length: 1 + below(most) }, () => below(from));
const FILTERS: (() => Filter<Document>)[] = [
  () => ({ tenant: 'b', group: { $in: some(400, 5_000) } }),
  () => ({ tenant: { $in: ['a', 'c', 'nobody'] }, group: { $in: some(100, 5_000) } }),
  () => ({ tenant: 'a', rank: { $in: some(4, 8) }, group: { $gte: below(2_000), $lt: 2_000 + below(2_000) } }),
  () => ({ tenant: 'a', group: { $in: [...some(50, 4_010), 1, 2] }, rank: { $lte: below(6) } }),
  () => ({ tags: { $in: some(40, 400) } }),
  () => ({ group: { $in: some(200, 9_000) } }),
  () => ({ group: { $in: [8, 7, 6] } }),
  () => ({ tenant: 'c', group: { $in: some(300, 5_000) }, tags: { $in: some(80, 300) } }),
];
const SORTS: Sort[] = [{ _id: 1 }, { group: 1, _id: 1 }, { rank: -1, _id: 1 }, { group: -1, rank: 1, _id: 1 }];

const idsOf = async (rows: Collection, filter: Filter<Document>, sort: Sort, limit: number) =>
  (await rows.find(filter, { sort, limit, projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);

it.each(FILTERS.map((make, n) => [n, make] as const))('finds of many values what is there: filter %i', async (_n, make) => {
  let seen = 0;
  for (let round = 0; round < 6; round++) {
    const filter = make();
    const [sort, limit] = [SORTS[round % SORTS.length]!, round % 3 === 0 ? 1 + below(20) : 0];
    const found = await idsOf(indexed, filter, sort, limit);
    expect(found).toEqual(await idsOf(plain, filter, sort, limit));
    expect(new Set(await indexed.distinct('_id', filter))).toEqual(new Set(await plain.distinct('_id', filter)));
    expect(await indexed.countDocuments(filter)).toBe(await plain.countDocuments(filter));
    seen += found.length;
  }
  // what always finds nothing would show nothing
  expect(seen > 0).toBe(!JSON.stringify(make()).includes('[8,7,6]'));
});

it('walks back through the values, too', async () => {
  for (let round = 0; round < 6; round++) {
    const filter = { tenant: 'b', group: { $in: some(150, 5_000) }, rank: below(6) };
    const sort: Sort = { tenant: -1, group: -1, rank: 1 };
    const groups = async (rows: Collection) => (await rows.find(filter, { sort }).toArray()).map(({ group }) => group as number);
    expect(await groups(indexed)).toEqual(await groups(plain));
  }
});

it('changes and removes documents of many values in a transaction, which sees its own', async () => {
  for (const rows of [indexed, plain]) {
    const values = Array.from({ length: 300 }, (_, n) => 10 + n * 7);
    await client.withSession((session) =>
      session.withTransaction(async () => {
        await rows.updateMany({ tenant: 'a', group: { $in: values } }, { $set: { rank: 9 } }, { session });
        await rows.deleteMany({ tenant: 'b', group: { $in: values.slice(0, 100) } }, { session });
        await rows.insertOne({ _id: 9_999 as never, tenant: 'a', group: values[5]!, rank: 9, tags: [] }, { session });
        const found = await rows.find({ tenant: 'a', group: { $in: values } }, { session }).toArray();
        expect(found.length).toBeGreaterThan(20);
        expect(found.every(({ rank }) => rank === 9)).toBe(true);
      }),
    );
  }
  const all = (rows: Collection) => rows.find({}, { sort: { _id: 1 } }).toArray();
  expect(await all(indexed)).toEqual(await all(plain));
});
