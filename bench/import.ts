// The import of a report against a bare bulk upsert of what it stores, and a re-import against the first one: in CPU of this process and of
// the store's. The bare upsert reads the same report with JSON.parse and upserts the findings and the assets that the import has made of it, in
// batches of 1,000 without transactions: no redaction, no digests, no counters, no audit log, no history.
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { MongoClient, type AnyBulkWriteOperation, type Db, type Document } from 'mongodb';
import { importContext, importReport } from '../processes/import-report.js';
import { jobHandlersOf } from '../processes/services.js';
import { Worker } from '../kit/engine/worker.js';
import { findings } from '../kit/findings/row.js';
import type { CollectionDefinition } from '../kit/store/collection.js';
import { assets } from '../subgraphs/di/records.js';
import { deploy, signIn, stores } from './deployment.js';
import { cpuOf } from './process-cpu.js';
import { ocsfReport } from './reports.js';

const FINDINGS = Number(process.env['BENCH_FINDINGS'] ?? 20_000);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const BATCH = 1_000;

/** CPU seconds of this process and of the store's, and seconds on the clock. */
interface Cost {
  main: number;
  store: number;
  wall: number;
}
const cpu = ({ main, store }: Cost) => main + store;

/** Copies the rows that an import made into a collection with the same indexes, by bulk upserts alone. */
async function bareUpsert(db: Db, { name, indexes }: Pick<CollectionDefinition, 'name' | 'indexes'>, rows: Document[], round: number) {
  const bare = db.collection<{ _id: string }>(`bare_${name}`);
  await bare.createIndexes(indexes.map(({ key, options }) => ({ key, ...options })));
  return async () => {
    for (let n = 0; n < rows.length; n += BATCH) {
      const batch = rows.slice(n, n + BATCH).map(({ _id, ...row }): AnyBulkWriteOperation<{ _id: string }> => ({
        updateOne: { filter: { _id: `${round}|${_id}` }, update: { $set: row }, upsert: true },
      }));
      await bare.bulkWrite(batch, { ordered: false });
    }
  };
}

const folder = mkdtempSync(join(tmpdir(), 'palisade-bench-'));
const report = join(folder, 'report.ocsf.json');
await pipeline(Readable.from(ocsfReport(FINDINGS)), createWriteStream(report));

for await (const store of stores()) {
  const measured = async (work: () => Promise<unknown>): Promise<Cost> => {
    const now = (): Cost => {
      const ofStore = cpuOf(store.pid);
      // the store's process is below this one
      return { main: cpuOf(process.pid) - ofStore, store: ofStore, wall: performance.now() / 1000 };
    };
    const before = now();
    await work();
    const after = now();
    return { main: after.main - before.main, store: after.store - before.store, wall: after.wall - before.wall };
  };
  const deployment = await deploy(store.uri);
  const { services, engines } = deployment.opened;
  const worker = new Worker(services, jobHandlersOf(engines), 1);
  const client = await new MongoClient(store.uri).connect();
  const db = client.db(deployment.env['MONGODB_DB']);
  const sums = { first: 0, again: 0, bare: 0 };
  // the first round warms up
  for (let round = 0; round <= ROUNDS; round++) {
    const { tenantId } = round === 0 ? deployment : await signIn(deployment.opened, 'analyst');
    const auth = await importContext(services, tenantId);
    const run = (scan_run_id: string) => async () => {
      const run = await importReport(services, auth, createReadStream(report), { scan_run_id });
      if (run.state !== 'COMPLETED' || run.total_findings !== FINDINGS)
        throw new Error(JSON.stringify({ ...run, errors: run.errors.slice(0, 2) }));
    };
    const first = await measured(run('first'));
    const again = await measured(run('second'));
    const stored = (name: string) => db.collection<{ _id: string }>(name).find({ tenant_id: tenantId }).toArray();
    const upserts: (() => Promise<void>)[] = [];
    for (const definition of [findings, assets]) upserts.push(await bareUpsert(db, definition, await stored(definition.name), round));
    const bare = await measured(async () => {
      JSON.parse(readFileSync(report, 'utf8'));
      for (const upsert of upserts) await upsert();
    });
    if (round === 0) continue;
    const text = ({ main, store, wall }: Cost) => `${main.toFixed(1)} + ${store.toFixed(1)} s (${wall.toFixed(1)} s)`;
    console.log(`  CPU of main + store (clock): import ${text(first)}, again ${text(again)}, bare bulk upsert ${text(bare)}`);
    sums.first += cpu(first);
    sums.again += cpu(again);
    sums.bare += cpu(bare);
  }
  console.log(
    `${store.name}, ${FINDINGS} findings, CPU of main and store: ${(sums.bare / sums.first).toFixed(2)} of the bare upsert's rate (at least 0.6); ` +
      `the re-import takes ${(sums.again / sums.first).toFixed(2)} of the first (at most 0.8)`,
  );
  await worker.stop();
  await client.close();
  await deployment.close();
}
rmSync(folder, { recursive: true });
