import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient, type Db } from 'mongodb';
import { JournalCorruptError, openEmbeddedStore, StoreInUseError, type EmbeddedStore } from '../../embedded/index.js';
import { startStore } from '../../embedded/start.js';
import { cleanUp, startProcess, temporaryFolder } from './stores.js';

afterAll(cleanUp);

/** Runs on the database of a store that is opened and closed around it; answers the store's warnings. */
async function withStore(dir: string, run: (db: Db) => Promise<void>): Promise<string[]> {
  const store: EmbeddedStore = await openEmbeddedStore({ dir });
  const client = await new MongoClient(store.uri).connect();
  try {
    await run(client.db('test'));
  } finally {
    await client.close();
    await store.close();
  }
  return store.warnings;
}

const journalOf = (dir: string): string =>
  join(
    dir,
    readdirSync(dir).find((f) => f.startsWith('journal-'))!,
  );

/** The offsets of a journal's records. */
function recordOffsets(file: string): number[] {
  const bytes = readFileSync(file);
  const offsets: number[] = [];
  for (let at = 0; at < bytes.length; at += 8 + bytes.readUInt32LE(at)) offsets.push(at);
  return offsets;
}

test('documents, indexes and collections are there after a clean close', async () => {
  const dir = temporaryFolder();
  await withStore(dir, async (db) => {
    await db.collection('a').insertMany([
      { _id: 1 as never, k: 1 },
      { _id: 2 as never, k: 2 },
    ]);
    await db.collection('a').createIndex({ k: 1 }, { unique: true });
    await db.collection('a').updateOne({ k: 1 }, { $set: { v: 'x' } });
    await db.collection('a').deleteOne({ k: 2 });
    await db.collection('b').insertOne({ _id: 9 as never });
    await db.collection('b').rename('c');
    await db.collection('gone').insertOne({});
    await db.collection('gone').drop();
    await db.collection('a').createIndex({ v: 1 });
    await db.collection('a').dropIndex('v_1');
  });
  const warnings = await withStore(dir, async (db) => {
    expect(await db.collection('a').find().toArray()).toEqual([{ _id: 1, k: 1, v: 'x' }]);
    expect((await db.collection('a').indexes()).map((i) => i.name)).toEqual(['_id_', 'k_1']);
    await expect(db.collection('a').insertOne({ k: 1 })).rejects.toMatchObject({ code: 11000 });
    expect(await db.collection('c').countDocuments()).toBe(1);
    expect((await db.listCollections().toArray()).map((c) => c.name).sort()).toEqual(['a', 'c']);
  });
  expect(warnings).toEqual([]);
});

test('every acknowledged write survives kill -9', async () => {
  const dir = temporaryFolder();
  const process = await startProcess(dir);
  const acknowledged: number[] = [];
  const collection = process.client.db('test').collection<{ _id: number }>('c');
  let running = true;
  const writers = [0, 1, 2, 3].map(async (w) => {
    for (let i = 0; running; i++) {
      await collection.insertOne({ _id: w * 1_000_000 + i });
      acknowledged.push(w * 1_000_000 + i);
    }
  });
  await new Promise((r) => setTimeout(r, 400));
  const killed = process.kill();
  running = false;
  await Promise.allSettled(writers);
  await killed;
  expect(acknowledged.length).toBeGreaterThan(20);
  await withStore(dir, async (db) => {
    const found = new Set((await db.collection('c').find().toArray()).map((d) => d._id as unknown as number));
    expect(acknowledged.filter((id) => !found.has(id))).toEqual([]);
  });
});

test('a transaction is there whole or not at all after kill -9', async () => {
  const dir = temporaryFolder();
  const process = await startProcess(dir);
  const collection = process.client.db('test').collection<{ _id: string; t: number }>('c');
  await collection.insertOne({ _id: 'first', t: -1 });
  let committed = 0;
  let running = true;
  const writer = (async () => {
    for (let t = 0; running; t++) {
      await process.client.withSession((session) =>
        session.withTransaction(async () => {
          for (const part of ['a', 'b', 'c']) await collection.insertOne({ _id: `${t}${part}`, t }, { session });
        }),
      );
      committed = t + 1;
    }
  })();
  await new Promise((r) => setTimeout(r, 400));
  const killed = process.kill();
  running = false;
  await Promise.allSettled([writer]);
  await killed;
  expect(committed).toBeGreaterThan(3);
  await withStore(dir, async (db) => {
    const groups = await db
      .collection('c')
      .aggregate([{ $match: { t: { $gte: 0 } } }, { $group: { _id: '$t', n: { $sum: 1 } } }])
      .toArray();
    expect(groups.length).toBeGreaterThanOrEqual(committed);
    expect(groups.filter((g) => g['n'] !== 3)).toEqual([]);
  });
});

describe('damage', () => {
  /** A folder whose journal holds a record for each of three inserts. */
  async function threeRecords(): Promise<{ dir: string; file: string; offsets: number[] }> {
    const dir = temporaryFolder();
    await withStore(dir, async (db) => {
      for (const _id of [1, 2, 3]) await db.collection('c').insertOne({ _id: _id as never, text: 'x'.repeat(100) });
    });
    const file = journalOf(dir);
    return { dir, file, offsets: recordOffsets(file) };
  }

  test.each([1, 5, 20, 60])('a last record of which %i bytes are there is cut off with a warning', async (kept) => {
    const { dir, file, offsets } = await threeRecords();
    const last = offsets[offsets.length - 1]!;
    truncateSync(file, last + kept);
    const warnings = await withStore(dir, async (db) => {
      expect((await db.collection('c').find().toArray()).map((d) => d._id as unknown)).toEqual([1, 2]);
      await db.collection('c').insertOne({ _id: 4 as never });
    });
    expect(warnings).toEqual([expect.stringContaining(`${kept} bytes at offset ${last}`)]);
    expect(await withStore(dir, async (db) => expect(await db.collection('c').countDocuments()).toBe(3))).toEqual([]);
  });

  test('a tail of zeros, as a power failure leaves it, is cut off', async () => {
    const { dir, file } = await threeRecords();
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.alloc(500)]));
    const warnings = await withStore(dir, async (db) => expect(await db.collection('c').countDocuments()).toBe(3));
    expect(warnings).toHaveLength(1);
  });

  test.each([
    ['payload', 40],
    ['checksum', 5],
    ['length', 0],
    ['length', 3],
  ])('a damaged %s (byte %i) in the middle stops the start and names file and offset', async (_part, byte) => {
    const { dir, file, offsets } = await threeRecords();
    const middle = offsets[offsets.length - 2]!;
    const bytes = readFileSync(file);
    bytes[middle + byte]! ^= 0x5a;
    writeFileSync(file, bytes);
    const error = await openEmbeddedStore({ dir }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(JournalCorruptError);
    expect(error).toMatchObject({ file, offset: middle, message: expect.stringContaining(`${file} is damaged at byte ${middle}`) });
    expect(readFileSync(file).length).toBe(bytes.length);
  });
});

test('a second store over the same folder is refused, and a dead one is replaced', async () => {
  const dir = temporaryFolder();
  const process = await startProcess(dir);
  await expect(openEmbeddedStore({ dir })).rejects.toBeInstanceOf(StoreInUseError);
  await process.kill();
  await withStore(dir, async () => {
    await expect(openEmbeddedStore({ dir })).rejects.toBeInstanceOf(StoreInUseError);
  });
});

test('the journal is compacted while writes go on, and nothing is lost', async () => {
  const dir = temporaryFolder();
  const failures: Error[] = [];
  const running = await startStore({
    dir,
    at: 0,
    compaction: { minimumBytes: 200_000, liveFactor: 2 },
    onFailure: (e) => failures.push(e),
  });
  const client = await new MongoClient(`mongodb://${running.address}/?directConnection=true`).connect();
  const collection = client.db('test').collection<{ _id: number; round: number; text: string }>('c');
  for (let round = 0; round < 60; round++) {
    const writes = Array.from({ length: 50 }, (_, i) => ({
      updateOne: { filter: { _id: i }, update: { $set: { round, text: 'x'.repeat(200) } }, upsert: true },
    }));
    await collection.bulkWrite(writes);
    if (round % 10 === 5) await collection.deleteOne({ _id: round });
  }
  await collection.createIndex({ round: 1 });
  await client.close();
  await running.close();
  expect(failures).toEqual([]);
  const files = readdirSync(dir).sort();
  expect(files.filter((f) => f.startsWith('snapshot-'))).toHaveLength(1);
  expect(files.some((f) => f.endsWith('.tmp'))).toBe(false);
  expect(files.reduce((sum, f) => sum + statSync(join(dir, f)).size, 0)).toBeLessThan(600_000);
  await withStore(dir, async (db) => {
    const documents = await db.collection('c').find().sort({ _id: 1 }).toArray();
    expect(documents.map((d) => d['round'] as number)).toEqual(Array.from({ length: 50 }, () => 59));
    expect((await db.collection('c').indexes()).map((i) => i.name)).toEqual(['_id_', 'round_1']);
  });
});

test('what a crash during compaction leaves behind does no harm', async () => {
  const dir = temporaryFolder();
  await withStore(dir, async (db) => void (await db.collection('c').insertOne({ _id: 1 as never })));
  writeFileSync(join(dir, 'snapshot-00000001.bin.tmp'), 'half a snapshot');
  writeFileSync(join(dir, 'journal-00000002.bin'), '');
  const warnings = await withStore(dir, async (db) => {
    expect(await db.collection('c').countDocuments()).toBe(1);
    await db.collection('c').insertOne({ _id: 2 as never });
  });
  expect(warnings).toEqual([]);
  await withStore(dir, async (db) => expect(await db.collection('c').countDocuments()).toBe(2));
  expect(readdirSync(dir).some((f) => f.endsWith('.tmp'))).toBe(false);
});
