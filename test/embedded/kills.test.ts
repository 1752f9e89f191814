import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Collection, MongoClient } from 'mongodb';
import { cleanUp, startProcess, temporaryFolder, type StoreProcess } from './stores.js';

// How often the store is killed. A release is tried with KILLS=200.
const KILLS = Number(process.env['KILLS'] ?? 6);
const WRITERS = 4;
/** Rows that a writer writes over and over: with their text they fill logs and tables, so that kills meet LevelDB at merging them. */
const ROWS = 200;

interface Row {
  readonly _id: string;
  readonly writer: number;
  /** The writer's number of the change; both rows of a transaction have the same. */
  readonly change: number;
  readonly pair: number;
  readonly text: string;
}

afterAll(cleanUp);

const rowsOf = (client: MongoClient): Collection<Row> => client.db('test').collection<Row>('rows');

/** Writes pairs of rows, each pair in a transaction, until the store is gone. @returns the last change of each pair that was acknowledged */
async function writePairs(client: MongoClient, writer: number, acknowledged: Map<string, number>, from: number): Promise<void> {
  for (let change = from; ; change++) {
    const pair = randomInt(ROWS / 2);
    const text = randomBytes(1500).toString('base64');
    try {
      await client.withSession((session) =>
        session.withTransaction(async () => {
          for (const half of ['a', 'b'])
            await rowsOf(client).replaceOne(
              { _id: `${writer}/${pair}/${half}` },
              { writer, change, pair, text },
              { upsert: true, session },
            );
        }),
      );
    } catch {
      return;
    }
    acknowledged.set(`${writer}/${pair}`, change);
  }
}

async function expectWhole(client: MongoClient, acknowledged: ReadonlyMap<string, number>): Promise<void> {
  const rows = rowsOf(client);
  const all = await rows.find().toArray();
  const byId = new Map(all.map((row) => [row._id, row]));
  const lost = [...acknowledged].filter(([pair, change]) => (byId.get(`${pair}/a`)?.change ?? -1) < change);
  expect(lost).toEqual([]);
  const torn = all.filter(({ _id, change }) => byId.get(_id.replace(/[ab]$/, (half) => (half === 'a' ? 'b' : 'a')))?.change !== change);
  expect(torn.map(({ _id }) => _id)).toEqual([]);
  // what the index finds is what is there
  const found = await rows.find().hint('writer_1_change_-1').project({ change: 1, writer: 1 }).toArray();
  const inOrder = [...all].sort((a, b) => a.writer - b.writer || b.change - a.change || a._id.localeCompare(b._id));
  expect(found.map(({ writer, change }) => [writer, change])).toEqual(inOrder.map(({ writer, change }) => [writer, change]));
  expect(await rows.countDocuments()).toBe(all.length);
  expect(await rows.estimatedDocumentCount()).toBe(all.length);
}

test(
  `no acknowledged change is lost, none is half there, and the index agrees, over ${KILLS} kills`,
  async () => {
    const dir = temporaryFolder();
    const acknowledged = new Map<string, number>();
    let next = 1;
    for (let kill = 0; kill <= KILLS; kill++) {
      const store: StoreProcess = await startProcess(dir);
      expect(store.warnings).toEqual([]);
      await rowsOf(store.client).createIndex({ writer: 1, change: -1 });
      await expectWhole(store.client, acknowledged);
      const writers = Array.from({ length: WRITERS }, (_, writer) => writePairs(store.client, writer, acknowledged, next));
      next += 1_000_000;
      await delay(randomInt(50, 1500));
      await store.kill();
      await Promise.all(writers);
    }
    expect(acknowledged.size).toBeGreaterThan(KILLS);
  },
  60_000 + KILLS * 30_000,
);
