// The import of a report against a bare bulk upsert of the documents that it made, and a re-import against the first one.
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { MongoClient, type AnyBulkWriteOperation, type Document } from 'mongodb';
import { importContext, importReport } from '../processes/import-report.js';
import { jobHandlersOf } from '../processes/services.js';
import { Worker } from '../kit/engine/worker.js';
import { findings } from '../kit/findings/row.js';
import { deploy, stores } from './deployment.js';
import { ocsfReport } from './reports.js';

const FINDINGS = Number(process.env['BENCH_FINDINGS'] ?? 50_000);
const BATCH = 1_000;

const seconds = (since: number) => (performance.now() - since) / 1000;

/** Copies the rows that the import made into a collection with the same indexes, by bulk upserts alone. */
async function bareUpsert(uri: string, name: string): Promise<number> {
  const client = await new MongoClient(uri).connect();
  const db = client.db(name);
  const rows = await db.collection<{ _id: string }>('findings').find().toArray();
  const bare = db.collection<{ _id: string }>('bare_upsert');
  await bare.createIndexes(findings.indexes.map(({ key, options }) => ({ key, ...options })));
  const began = performance.now();
  for (let n = 0; n < rows.length; n += BATCH) {
    const batch = rows.slice(n, n + BATCH).map(({ _id, ...row }): AnyBulkWriteOperation<{ _id: string }> => ({
      updateOne: { filter: { _id }, update: { $set: row as Document }, upsert: true },
    }));
    await bare.bulkWrite(batch, { ordered: false });
  }
  const took = seconds(began);
  await client.close();
  return took;
}

const folder = mkdtempSync(join(tmpdir(), 'palisade-bench-'));
const report = join(folder, 'report.ocsf.json');
await pipeline(Readable.from(ocsfReport(FINDINGS)), createWriteStream(report));

for await (const store of stores()) {
  const deployment = await deploy(store.uri);
  const { services, engines } = deployment.opened;
  const worker = new Worker(services, jobHandlersOf(engines), 1);
  const auth = await importContext(services, deployment.tenantId);
  const took: number[] = [];
  for (const scan_run_id of ['first', 'second']) {
    const began = performance.now();
    const run = await importReport(services, auth, createReadStream(report), { scan_run_id });
    took.push(seconds(began));
    if (run.state !== 'COMPLETED' || run.total_findings !== FINDINGS)
      throw new Error(JSON.stringify({ ...run, errors: run.errors.slice(0, 2) }));
  }
  await worker.stop();
  const bare = await bareUpsert(store.uri, deployment.env['MONGODB_DB']!);
  const [first, second] = took as [number, number];
  const rate = (time: number) => `${(FINDINGS / time).toFixed(0)} findings/s`;
  console.log(`${store.name}, ${FINDINGS} findings: import ${rate(first)}, again ${rate(second)}, bare bulk upsert ${rate(bare)}`);
  console.log(
    `  ratio to the bare upsert ${(bare / first).toFixed(2)} (at least 0.5); the re-import takes ${(second / first).toFixed(2)} of the first (at most 1)`,
  );
  await deployment.close();
}
rmSync(folder, { recursive: true });
