// Reads over connections of our own: the same rows, casts, refusals and failures as mongoose and the driver give.
import { connect, createServer, type Server, type Socket } from 'node:net';
import mongoose from 'mongoose';
import { defineCollection, defineSystemCollection } from '../../kit/store/collection.js';
import { Database } from '../../kit/store/database.js';
import { date, number, object, text } from '../../kit/store/fields.js';
import { readLean } from '../../kit/store/lean-reads.js';
import { openEmbeddedStore } from '../../embedded/index.js';

const things = defineCollection('things', { name: text, size: number, at: date, more: object<Record<string, unknown>>() }, [
  { key: { tenant_id: 1, size: 1 } },
]);
const counts = defineSystemCollection('counts', { n: number });

let store: Awaited<ReturnType<typeof openEmbeddedStore>>;
let database: Database;
beforeAll(async () => {
  store = await openEmbeddedStore({ dir: null });
  database = await Database.open(store.uri, 'lean', [things, counts]);
  for (const tenant of ['one', 'two'])
    await database
      .tenant(tenant)
      .collection(things)
      .insertMany(
        Array.from({ length: 300 }, (_, n) => ({
          _id: `${tenant}|${n}`,
          tenant_id: tenant,
          name: `thing ${n % 7}`,
          size: n,
          at: new Date(1_000 * n),
          more: { none: null, long: 'ü'.repeat(n), list: [n, { deep: true }] },
        })),
      );
});
afterAll(async () => {
  await database.close();
  await store.close();
});

/** The newest one that is open. */
const connection = () => mongoose.connections.findLast(({ name, readyState }) => name === 'lean' && readyState === 1)!;
const one = () => database.tenant('one').collection(things);
const filters = [{}, { size: { $gte: 250 } }, { name: { $in: ['thing 1', 'thing 2'] }, size: { $lt: 40 } }, { size: -1 }];

const OPTIONS: { sort?: Record<string, 1 | -1>; skip?: number; limit?: number }[] = [
  {},
  { sort: { size: -1 }, skip: 3, limit: 120 },
  { sort: { name: 1, size: 1 } },
];

test.each(filters)('a read gives what the driver gives: %j', async (filter) => {
  const native = connection().db!.collection('things');
  const bound = { ...filter, tenant_id: 'one' };
  for (const options of OPTIONS) expect(await one().find(filter, options)).toEqual(await native.find(bound, options).toArray());
  expect(await one().find(filter, { fields: ['size'] })).toEqual(await native.find(bound, { projection: { size: 1 } }).toArray());
  expect(await one().count(filter)).toBe(await native.countDocuments(bound));
  expect(await one().aggregate([{ $match: filter }, { $group: { _id: '$name', most: { $max: '$size' } } }, { $sort: { _id: 1 } }])).toEqual(
    await native.aggregate([{ $match: bound }, { $group: { _id: '$name', most: { $max: '$size' } } }, { $sort: { _id: 1 } }]).toArray(),
  );
});

test('answers of many batches are read to their end, and many reads at once keep apart', async () => {
  const rows = await readLean<{ _id: string }>(connection(), {
    find: 'things',
    filter: { tenant_id: 'two' },
    sort: { size: 1 },
    batchSize: 7,
  });
  expect(rows!.map(({ _id }) => _id)).toEqual(Array.from({ length: 300 }, (_, n) => `two|${n}`));
  const found = await Promise.all(Array.from({ length: 200 }, (_, n) => one().findOne({ _id: `one|${n}` })));
  expect(found.map((row) => row!.size)).toEqual(Array.from({ length: 200 }, (_, n) => n));
});

test('the tenant is bound, and filters are cast and refused as by mongoose', async () => {
  expect(await one().find({ tenant_id: 'two' })).toHaveLength(300);
  expect((await one().find({ tenant_id: 'two' })).every(({ tenant_id }) => tenant_id === 'one')).toBe(true);
  expect(await one().findOne({ _id: 'two|1' })).toBeNull();
  expect(await one().find({ size: '12', at: new Date(12_000).toISOString() })).toHaveLength(1);
  expect(await one().count({ size: '12' })).toBe(1);
  for (const filter of [{ nothing: 1 }, { tenant_id: 'one', $or: [{ 'nothing.deep': 1 }] }, { size: 'many' }]) {
    await expect(one().find(filter)).rejects.toThrow(/strictQuery|Cast to Number/);
    await expect(one().count(filter)).rejects.toThrow(/strictQuery|Cast to Number/);
  }
  expect(await one().find({ name: undefined, size: 5 })).toHaveLength(1);
});

test('what a transaction has written its reads see, and others do not before it ends', async () => {
  const row = { _id: 'one|new', tenant_id: 'one', name: 'new', size: 1_000, at: new Date(0), more: {} };
  await database.transaction(async (transaction) => {
    await one().insert(row, { transaction });
    expect(await one().findOne({ _id: row._id }, { transaction })).toEqual(row);
    expect(await one().count({ size: 1_000 }, { transaction })).toBe(1);
    expect(await one().findOne({ _id: row._id })).toBeNull();
  });
  expect(await one().findOne({ _id: row._id })).toEqual(row);
  await one().remove({ _id: row._id });
});

test('what the store refuses is told in its own words', async () => {
  await expect(one().aggregate([{ $nonsense: {} }])).rejects.toMatchObject({ name: 'MongoServerError', code: 40324 });
});

/** Passes a store's bytes on, and cuts connections. */
async function relayTo(uri: string): Promise<{ uri: string; cut(): void; close(): void }> {
  const path = decodeURIComponent(/mongodb:\/\/([^/]+)\//.exec(uri)![1]!);
  const ends = new Set<Socket>();
  const server: Server = createServer((near) => {
    const far = path.startsWith('/') ? connect(path) : connect(Number(path.split(':')[1]), '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(from);
      from.pipe(to);
      from.on('error', () => undefined).on('close', () => void to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const end of ends) end.destroy();
    ends.clear();
  };
  const { port } = server.address() as { port: number };
  return { uri: `mongodb://127.0.0.1:${port}/?directConnection=true`, cut, close: () => void (cut(), server.close()) };
}

test('a connection that breaks is replaced, and what it held is asked again', async () => {
  const relay = await relayTo(store.uri);
  const other = await Database.open(relay.uri, 'lean', [things]);
  const rows = other.tenant('one').collection(things);
  expect(await rows.count({})).toBe(300);
  for (let round = 0; round < 3; round++) {
    const asked = Array.from({ length: 30 }, (_, n) => rows.findOne({ _id: `one|${n}` }));
    relay.cut();
    expect((await Promise.all(asked)).map((row) => row!.size)).toEqual(Array.from({ length: 30 }, (_, n) => n));
  }
  await other.close();
  relay.close();
});

/** What the driver is asked while `work` runs over a connection of its own. */
async function driverCommands(settings: string, work: (rows: ReturnType<typeof one>) => Promise<void>): Promise<string[]> {
  const other = await Database.open(`${store.uri}&monitorCommands=true${settings}`, 'lean', [things]);
  const commands: string[] = [];
  connection()
    .getClient()
    .on('commandStarted', ({ commandName }) => commands.push(commandName));
  await work(other.tenant('one').collection(things));
  connection().getClient().removeAllListeners('commandStarted');
  await other.close();
  return commands;
}

test('the driver is asked for none of it at a plain address', async () => {
  const commands = await driverCommands('', async (rows) => {
    await rows.find({}, { limit: 20 });
    await rows.findOne({ _id: 'one|1' });
    await rows.count({ size: 4 });
    await rows.aggregate([{ $limit: 1 }]);
  });
  expect(commands).toEqual([]);
});

test('elsewhere the driver answers with one command, and with its cursor where there is more', async () => {
  const commands = await driverCommands('&readPreference=secondaryPreferred', async (rows) => {
    expect(await rows.find({}, { sort: { size: 1 }, limit: 250 })).toEqual(await one().find({}, { sort: { size: 1 }, limit: 250 }));
    expect(await rows.count({ size: { $lt: 10 } })).toBe(10);
  });
  expect(commands).toEqual(['find', 'aggregate']);
  const small = { tenant_id: 'one', name: 'small', size: 0, at: new Date(0), more: {} };
  await one().insertMany(Array.from({ length: 800 }, (_, n) => ({ ...small, _id: `one|small ${n}` })));
  const more = await driverCommands('&readPreference=secondaryPreferred', async (rows) => {
    expect(await rows.find({})).toHaveLength(1_100);
    await expect(rows.aggregate([{ $nonsense: {} }])).rejects.toMatchObject({ name: 'MongoServerError', code: 40324 });
  });
  await one().remove({ name: 'small' });
  expect(more.sort()).toEqual(['aggregate', 'aggregate', 'find', 'find', 'getMore', 'killCursors']);
});

test('after the database is closed nothing is read and nothing is connected', async () => {
  const other = await Database.open(store.uri, 'lean', [things]);
  const rows = other.tenant('one').collection(things);
  await rows.findOne({});
  await other.close();
  await expect(rows.findOne({})).rejects.toThrow();
});
