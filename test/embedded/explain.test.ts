import { MongoClient, type Collection, type Document } from 'mongodb';
import { openEmbeddedStore, type EmbeddedStore } from '../../embedded/index.js';

let store: EmbeddedStore;
let client: MongoClient;
let findings: Collection;

beforeAll(async () => {
  store = await openEmbeddedStore({ dir: null });
  client = await new MongoClient(store.uri).connect();
  findings = client.db('test').collection('findings');
  await findings.insertMany(
    Array.from({ length: 2000 }, (_, i) => ({
      _id: i as never,
      tenant: `t${i % 2}`,
      status: i % 4 < 2 ? 'open' : 'resolved',
      rank: i % 5,
      seen: new Date(i * 1000),
      tags: [`g${i % 7}`, `h${i % 3}`],
      key: `k${i}`,
    })),
  );
  await findings.createIndexes([
    { key: { tenant: 1, status: 1, rank: -1, seen: -1 }, name: 'by_status' },
    { key: { tenant: 1, seen: -1 }, name: 'by_seen' },
    { key: { tenant: 1, key: 1 }, name: 'by_key', unique: true },
    { key: { tags: 1, seen: 1 }, name: 'by_tag' },
    { key: { rank: 1 }, name: 'open_only', partialFilterExpression: { status: 'open' } },
  ]);
});
afterAll(async () => {
  await client.close();
  await store.close();
});

interface Explained {
  readonly stages: string[];
  readonly indexName: string | undefined;
  readonly keys: number;
  readonly docs: number;
  readonly returned: number;
}

/** The stages of a plan from the top, the index, and what was looked at. */
function read(explanation: Document): Explained {
  const { queryPlanner, executionStats } = (explanation['stages']?.[0]?.$cursor ?? explanation) as Document;
  const stages: string[] = [];
  let indexName: string | undefined;
  for (
    let stage = queryPlanner.winningPlan as Document | undefined;
    stage;
    stage = (stage['inputStage'] ?? stage['inputStages']?.[0]) as Document | undefined
  ) {
    stages.push(stage['stage'] as string);
    indexName ??= stage['indexName'] as string | undefined;
  }
  return {
    stages,
    indexName,
    keys: executionStats.totalKeysExamined,
    docs: executionStats.totalDocsExamined,
    returned: executionStats.nReturned,
  };
}

async function explainFind(filter: Document, sort: Document = {}, limit = 0, skip = 0): Promise<Explained> {
  return read(
    await findings
      .find(filter)
      .sort(sort as never)
      .limit(limit)
      .skip(skip)
      .explain('executionStats'),
  );
}

test('a pattern on the component behind the bounded ones is tested on keys, so that few documents are looked at', async () => {
  const names = client.db('test').collection<{ _id: number; group: string; name?: unknown }>('names');
  const odd = [null, undefined, 7, ['text 3'], 'a\0text 3', '', 'Straße text 3', /TEXT 3( |$)/i, { text: 3 }];
  await names.insertMany([
    ...Array.from({ length: 1_000 }, (_, n) => ({ _id: n, group: `g${n % 2}`, name: `text ${n} ` })),
    ...odd.filter((name) => !Array.isArray(name)).map((name, n) => ({ _id: 2_000 + n, group: 'g1', ...(name !== undefined && { name }) })),
  ]);
  const asked = { group: { $in: ['g0', 'g1'] }, name: /TEXT 3( |$)/i };
  const expected = (await names.find(asked, { sort: { _id: 1 } }).toArray()).map(({ _id }) => _id);
  expect(expected).toEqual([3, 2_003, 2_005, 2_006]);
  await names.createIndex({ group: 1, name: 1 }, { name: 'by_name' });
  const explained = read(await names.find(asked).explain('executionStats'));
  expect(explained).toMatchObject({ indexName: 'by_name', returned: 4 });
  expect(explained.keys).toBeGreaterThanOrEqual(1_008);
  expect(explained.docs).toBe(4);
  const ids = async () => (await names.find(asked, { sort: { _id: 1 } }).toArray()).map(({ _id }) => _id);
  expect(await ids()).toEqual(expected);
  expect(await names.countDocuments(asked)).toBe(4);
  // with an array in it, one document has several keys
  await names.insertOne({ _id: 3_000, group: 'g1', name: ['none', 'text 3'] });
  expect(await ids()).toEqual([...expected, 3_000]);
});

test('a page in index order stops at skip plus limit', async () => {
  const page = await explainFind({ tenant: 't0', status: 'open' }, { rank: -1, seen: -1 }, 50, 100);
  expect(page).toMatchObject({ indexName: 'by_status', returned: 50 });
  expect(page.stages).not.toContain('SORT');
  expect(page.keys).toBeLessThanOrEqual(151);
  expect(page.docs).toBe(50);
});

test('the reverse order walks the index backwards', async () => {
  const page = await explainFind({ tenant: 't0' }, { seen: 1 }, 10);
  expect(page).toMatchObject({ stages: ['LIMIT', 'FETCH', 'IXSCAN'], indexName: 'by_seen', keys: 10, docs: 10 });
});

test('several values of a prefix are merged in order rather than sorted', async () => {
  const filter = { tenant: 't0', status: { $in: ['open', 'resolved'] } };
  const page = await explainFind(filter, { rank: -1, seen: -1 }, 20);
  expect(page).toMatchObject({ stages: ['LIMIT', 'FETCH', 'SORT_MERGE', 'IXSCAN'], indexName: 'by_status' });
  expect(page.docs).toBe(20);
  const found = await findings.find(filter).sort({ rank: -1, seen: -1 }).limit(20).toArray();
  const expected = await findings.find({ tenant: 't0' }).sort({ rank: -1, seen: -1 }).limit(20).hint('by_seen').toArray();
  expect(found).toEqual(expected);
});

test('a unique key is looked up', async () => {
  expect(await explainFind({ tenant: 't0', key: 'k10', status: 'open' })).toMatchObject({ indexName: 'by_key', keys: 1, docs: 1 });
  expect(await explainFind({ _id: 5, tenant: 't1' })).toMatchObject({ indexName: '_id_', keys: 1, docs: 1, returned: 1 });
  expect(await explainFind({ _id: { $in: [5, 6, 7] } })).toMatchObject({ indexName: '_id_', keys: 3 });
});

test('a range is read no further than its ends', async () => {
  const range = await explainFind({ tenant: 't0', seen: { $gte: new Date(100_000), $lt: new Date(120_000) } });
  expect(range).toMatchObject({ indexName: 'by_seen', keys: 10, docs: 10, returned: 10 });
});

test('of a range of ids with two ends and an equality, the one with fewer documents is walked', async () => {
  const range = { tenant: 't0', _id: { $gt: 100 as never, $lt: 120 as never } };
  expect(await explainFind(range)).toMatchObject({ indexName: '_id_', docs: 19, returned: 9 });
  const one = { rank: 3, status: 'open', tags: 'g1', _id: { $gt: -1 as never, $lt: 2_000 as never } };
  const rare = await explainFind(one);
  expect(rare.indexName).not.toBe('_id_');
  expect(rare.docs).toBeLessThan(500);
  expect(await explainFind({ tenant: 't0', _id: { $gt: 100 as never } })).not.toMatchObject({ indexName: '_id_' });
});

test('a count over an index range looks at no document', async () => {
  const count = read(
    await client
      .db('test')
      .command({ explain: { count: 'findings', query: { tenant: 't0', status: 'open' } }, verbosity: 'executionStats' }),
  );
  expect(count).toMatchObject({ stages: ['COUNT', 'COUNT_SCAN'], docs: 0, keys: 500 });
  expect(await findings.countDocuments({ tenant: 't0', status: 'open' })).toBe(500);
});

test('elements of arrays are found by a multikey index, each document once', async () => {
  const found = await explainFind({ tags: { $in: ['g1', 'h1'] } });
  expect(found.indexName).toBe('by_tag');
  expect(found.returned).toBe(await findings.countDocuments({ $or: [{ tags: 'g1' }, { tags: 'h1' }] }));
  expect(await explainFind({ tags: 'g1' }, { seen: 1 }, 5)).toMatchObject({ indexName: 'by_tag', docs: 5 });
});

test('a partial index serves only filters that it covers', async () => {
  expect((await explainFind({ rank: 3, status: 'open' })).indexName).toBe('open_only');
  expect((await explainFind({ rank: 3 })).stages).toContain('COLLSCAN');
});

test('each branch of an $or uses its index', async () => {
  const or = await explainFind({ $or: [{ tenant: 't0', key: 'k10' }, { _id: 7 }] });
  expect(or.stages).toEqual(['FETCH', 'OR', 'IXSCAN']);
  expect(or).toMatchObject({ docs: 2, returned: 2 });
});

test('without an index the collection is scanned, and sorted in memory', async () => {
  expect(await explainFind({ key: 'k1' }, { rank: 1 }, 5)).toMatchObject({ stages: ['LIMIT', 'SORT', 'COLLSCAN'], docs: 2000, keys: 0 });
});

test('an aggregation starts with the index', async () => {
  const pipeline = [{ $match: { tenant: 't1' } }, { $sort: { seen: -1 } }, { $limit: 3 }, { $group: { _id: '$status' } }];
  expect(read(await findings.aggregate(pipeline).explain('executionStats'))).toMatchObject({ indexName: 'by_seen', docs: 3 });
});

test('queryPlanner verbosity answers no figures', async () => {
  const explanation = await findings.find({ tenant: 't0' }).explain('queryPlanner');
  expect(explanation['executionStats']).toBeUndefined();
  expect(explanation['queryPlanner'].winningPlan.inputStage.stage).toBe('IXSCAN');
});
