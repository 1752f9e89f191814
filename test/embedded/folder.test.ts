import { randomBytes } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient, type Db } from 'mongodb';
import { StoreDamagedError, openEmbeddedStore, StoreInUseError, type EmbeddedStore } from '../../embedded/index.js';
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

/** The path of the newest file of a database whose name ends so. */
function fileOf(dir: string, end: RegExp): string {
  const names = readdirSync(join(dir, 'rows')).filter((name) => end.test(name));
  return join(dir, 'rows', names.sort().at(-1)!);
}

const LOG = /\.log$/;
const TABLE = /\.ldb$/;

/** The offsets of a log's records: each has a header of seven bytes, with its length in the fifth and sixth. */
function recordOffsets(file: string): number[] {
  const bytes = readFileSync(file);
  const offsets: number[] = [];
  for (let at = 0; at < bytes.length; at += 7 + bytes.readUInt16LE(at + 4)) offsets.push(at);
  return offsets;
}

/** The offset of the log's record that holds a text. */
function recordWith(file: string, offsets: number[], text: string): number {
  const at = readFileSync(file).indexOf(text);
  expect(at).toBeGreaterThan(0);
  return offsets.findLast((offset) => offset < at)!;
}

/** Puts a byte in the place of another. */
function turn(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at]! ^= 0x5a;
  writeFileSync(file, bytes);
}

test('an index knows after a reopening that its keys go through arrays, unique or not', async () => {
  const dir = temporaryFolder();
  const both = [true, false];
  const rows = (db: Db, unique: boolean) => db.collection(unique ? 'unique' : 'plain');
  await withStore(dir, async (db) => {
    for (const unique of both) {
      await rows(db, unique).createIndex({ v: 1 }, { unique });
      await rows(db, unique).insertOne({ _id: 1 as never, v: ['a', 'd'] });
    }
  });
  await withStore(dir, async (db) => {
    // no value lies between the bounds, each meets one of them
    for (const unique of both) expect(await rows(db, unique).countDocuments({ v: { $gt: 'b', $lt: 'c' } }, { hint: 'v_1' })).toBe(1);
  });
});

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
  while (acknowledged.length < 200) await new Promise((r) => setTimeout(r, 5));
  const killed = process.kill();
  running = false;
  await Promise.allSettled(writers);
  await killed;
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
  while (committed < 4) await new Promise((r) => setTimeout(r, 5));
  const killed = process.kill();
  running = false;
  await Promise.allSettled([writer]);
  await killed;
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
  const DOCUMENTS = 30;

  /** A folder whose log holds a record for each of some inserts. */
  async function insertedOneByOne(): Promise<{ dir: string; file: string; offsets: number[] }> {
    const dir = temporaryFolder();
    await withStore(dir, async (db) => {
      for (let _id = 1; _id <= DOCUMENTS; _id++)
        await db.collection('c').insertOne({ _id: _id as never, text: `document ${_id}`.padEnd(100, '.') });
    });
    const file = fileOf(dir, LOG);
    return { dir, file, offsets: recordOffsets(file) };
  }

  /** The same after a further start, which has written the rows to a table. */
  async function inTables(): Promise<string> {
    const { dir } = await insertedOneByOne();
    await withStore(dir, async (db) => expect(await db.collection('c').countDocuments()).toBe(DOCUMENTS));
    return dir;
  }

  /** Opens a store that must be refused. */
  async function refusal(dir: string): Promise<StoreDamagedError> {
    const error = await openEmbeddedStore({ dir }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(StoreDamagedError);
    return error as StoreDamagedError;
  }

  test.each([1, 5, 20, 60])(
    'a last record of which %i bytes are there, and the disk never had more, is left out with a warning',
    async (kept) => {
      const { dir, file, offsets } = await insertedOneByOne();
      // how many records follow it, which bring it to the disk, depends on when the disk was done with the former
      const last = recordWith(file, offsets, `document ${DOCUMENTS}.`);
      truncateSync(file, last + kept);
      rmSync(join(dir, 'rows.commits'));
      const warnings = await withStore(dir, async (db) => {
        expect(await db.collection('c').countDocuments()).toBe(DOCUMENTS - 1);
        await db.collection('c').insertOne({ _id: 0 as never });
      });
      expect(warnings).toEqual([expect.stringContaining(`at offset ${last}, was not written completely`)]);
      expect(readdirSync(dir).filter((name) => name.startsWith('torn-'))).toHaveLength(1);
      expect(await withStore(dir, async (db) => expect(await db.collection('c').countDocuments()).toBe(DOCUMENTS))).toEqual([]);
    },
  );

  test('a log that is shorter than what was brought to the disk is refused', async () => {
    const { dir, file, offsets } = await insertedOneByOne();
    truncateSync(file, offsets.at(-5));
    expect((await refusal(dir)).message).toMatch(/holds \d+ commits, and \d+ were on the disk/);
  });

  test('a log that is gone is refused', async () => {
    const { dir, file } = await insertedOneByOne();
    rmSync(file);
    await refusal(dir);
  });

  test.each([
    ['checksum', [0]],
    ['length', [4]],
    ['type', [6]],
    ['sequence', [7]],
    ['payload', [60]],
    ['whole header, by zeros,', [0, 1, 2, 3, 4, 5, 6]],
  ])('a damaged %s in the middle of the log stops the start and names file and offset', async (_part, bytes) => {
    const { dir, file, offsets } = await insertedOneByOne();
    // of those that are long enough: a mark of what was brought to the disk may stand between commits
    const middle = offsets.slice(Math.floor(offsets.length / 2)).find((at, n, rest) => (rest[n + 1] ?? at) - at > Math.max(...bytes))!;
    const damaged = readFileSync(file);
    for (const byte of bytes) damaged[middle + byte] = bytes.length > 1 ? 0 : damaged[middle + byte]! ^ 0x5a;
    writeFileSync(file, damaged);
    expect(await refusal(dir)).toMatchObject({
      file,
      offset: middle,
      message: expect.stringContaining(`${file} is damaged at byte ${middle}`),
    });
    expect(readFileSync(file).equals(damaged)).toBe(true);
  });

  test('a turned bit anywhere in a table stops the start and names file and offset', async () => {
    const dir = await inTables();
    const file = fileOf(dir, TABLE);
    const whole = readFileSync(file);
    for (const at of [0, 50, Math.floor(whole.length / 2), whole.length - 1]) {
      turn(file, at);
      expect(await refusal(dir)).toMatchObject({ file, offset: Math.floor(at / 65536) * 65536 });
      writeFileSync(file, whole);
    }
    await withStore(dir, async (db) => expect(await db.collection('c').countDocuments()).toBe(DOCUMENTS));
  });

  test('a table or a manifest that was cut, and one that is gone, stop the start, and nothing is removed', async () => {
    for (const [pattern, cut] of [
      [TABLE, true],
      [TABLE, false],
      [/^MANIFEST/, true],
      [/^MANIFEST/, false],
      [/^CURRENT$/, false],
    ] as const) {
      const dir = await inTables();
      const file = fileOf(dir, pattern);
      if (cut) truncateSync(file, Math.floor(statSync(file).size / 2));
      else rmSync(file);
      const before = readdirSync(join(dir, 'rows')).filter((name) => TABLE.test(name));
      await refusal(dir);
      expect(readdirSync(join(dir, 'rows')).filter((name) => TABLE.test(name))).toEqual(before);
    }
  });

  test('an earlier state of the database in the place of the present one is refused', async () => {
    const dir = await inTables();
    const earlier = join(dir, 'earlier');
    cpSync(join(dir, 'rows'), earlier, { recursive: true });
    await withStore(dir, async (db) => void (await db.collection('c').insertOne({ _id: 0 as never })));
    rmSync(join(dir, 'rows'), { recursive: true });
    renameSync(earlier, join(dir, 'rows'));
    await refusal(dir);
  });
});

test('a table that a merge had not finished, whose number LevelDB gives to another one after a kill, is no damage', async () => {
  const dir = temporaryFolder();
  const rows = join(dir, 'rows');
  const process = await startProcess(dir);
  const latest = Math.max(...readdirSync(rows).map((name) => Number(/\d+/.exec(name)?.[0] ?? 0)));
  for (let n = 1; n <= 8; n++) writeFileSync(join(rows, `${String(latest + n).padStart(6, '0')}.ldb`), randomBytes(100_000));
  // they are there when the store notes its files
  await process.client.db('test').collection('c').insertOne({});
  await sleep(6000);
  await process.kill();
  for (let n = 0; n < 3; n++) {
    const again = await startProcess(dir);
    await again.client.db('test').collection('c').insertOne({});
    await again.kill();
  }
  await withStore(dir, async (db) => expect(await db.collection('c').countDocuments()).toBe(4));
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

test('what is written over and over takes the room of what is there', async () => {
  const dir = temporaryFolder();
  await withStore(dir, async (db) => {
    const collection = db.collection<{ _id: number; round: number; text: string }>('c');
    await collection.createIndex({ round: 1 });
    for (let round = 0; round < 300; round++) {
      const text = randomBytes(4000).toString('base64');
      const writes = Array.from({ length: 50 }, (_, i) => ({
        updateOne: { filter: { _id: i }, update: { $set: { round, text: `${text}${i}` } }, upsert: true },
      }));
      await collection.bulkWrite(writes);
      if (round % 10 === 5) await collection.deleteOne({ _id: round % 50 });
    }
  });
  await withStore(dir, async (db) => {
    const documents = await db.collection('c').find().sort({ _id: 1 }).toArray();
    expect(documents.map((d) => d['round'] as number)).toEqual(Array.from({ length: 50 }, () => 299));
    expect((await db.collection('c').indexes()).map((i) => i.name)).toEqual(['_id_', 'round_1']);
  });
  const size = readdirSync(join(dir, 'rows')).reduce((sum, name) => sum + statSync(join(dir, 'rows', name)).size, 0);
  // 81 MB were written, of which 0.3 are there; LevelDB merges the others away as it goes
  expect(size).toBeLessThan(50_000_000);
});
