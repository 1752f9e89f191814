// The import of an audit log against a bare bulk insert of the rows that it stores, in CPU of this process and of the store's; the memory of both meanwhile, and
// what an event takes on disk. The bare insert writes the same rows with the same indexes in batches of 500, without transactions, and nothing else: it
// parses and redacts nothing, and counts nothing of what was used by whom.
import { createReadStream, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient, type Db } from 'mongodb';
import { Worker } from '../kit/engine/worker.js';
import type { CollectionDefinition } from '../kit/store/collection.js';
import { importContext, importReport } from '../processes/import-report.js';
import { jobHandlersOf } from '../processes/services.js';
import { cloudEventCoverage, cloudEventRecords, cloudEvents, cloudEventUsage } from '../subgraphs/cdr/events/records.js';
import { writeCloudTrail } from './cloudtrail-log.js';
import { deploy, start } from './deployment.js';
import { cpuSeconds, residentMiB } from './process-cpu.js';

const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 1_000_000);
const ROLES = 200;
const BATCH = 500;
const DAY = 86_400_000;

const bytesOf = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true }).reduce(
    (sum, entry) => sum + (entry.isDirectory() ? bytesOf(join(folder, entry.name)) : statSync(join(folder, entry.name)).size),
    0,
  );

/** Inserts the stored rows of a collection again, elsewhere, with the same indexes. */
async function bareInsert(db: Db, { name, indexes }: CollectionDefinition, tenant_id: string): Promise<void> {
  const bare = db.collection(`bare_${name}`);
  if (indexes.length > 0) await bare.createIndexes(indexes.map(({ key, options }) => ({ key, ...options })));
  let batch: object[] = [];
  for await (const row of db.collection(name).find({ tenant_id })) {
    if (batch.push(row) < BATCH) continue;
    await bare.insertMany(batch as never, { ordered: false });
    batch = [];
  }
  if (batch.length > 0) await bare.insertMany(batch as never, { ordered: false });
}

const folder = mkdtempSync(join(tmpdir(), 'palisade-bench-events-'));
const log = join(folder, 'trail.json');
await writeCloudTrail(log, EVENTS, Date.now() - 30 * DAY, (29 * DAY) / EVENTS, ROLES);
const data = join(folder, 'data');
const store = await start('embedded/serve.js', ['--dir', data], {}, /mongodb:\S+/);
const deployment = await deploy(store.ready, { MAX_IMPORT_MB: '4096' });
const { services, engines } = deployment.opened;
const worker = new Worker(services, jobHandlersOf(engines), 1);
const cpu = () => ({ store: cpuSeconds(store.pid), main: cpuSeconds(process.pid) - cpuSeconds(store.pid) });

let most = { main: 0, store: 0 };
const look = setInterval(() => {
  most = { main: Math.max(most.main, residentMiB(process.pid)), store: Math.max(most.store, residentMiB(store.pid)) };
}, 250);
const before = cpu();
const began = performance.now();
const run = await importReport(services, await importContext(services, deployment.tenantId), createReadStream(log), { scan_run_id: 'log' });
if (run.state !== 'COMPLETED' || run.counts.records !== EVENTS) throw new Error(JSON.stringify({ ...run, errors: run.errors.slice(0, 2) }));
const seconds = (performance.now() - began) / 1000;
const after = cpu();
clearInterval(look);
const micros = (from: number, to: number) => `${(((to - from) / EVENTS) * 1e6).toFixed(0)} µs`;
const cost = after.main - before.main + after.store - before.store;
console.log(
  `${EVENTS} events of ${(statSync(log).size / EVENTS).toFixed(0)} bytes in ${seconds.toFixed(0)} s: ${micros(before.main, after.main)} of this process and ${micros(before.store, after.store)} of the store's for each`,
);
console.log(`  at most ${most.main.toFixed(0)} MiB in this process, ${most.store.toFixed(0)} MiB in the store's`);

const client = await new MongoClient(store.ready).connect();
const db = client.db(deployment.env['MONGODB_DB']);
const rows = (name: string) => db.collection(name).countDocuments({ tenant_id: deployment.tenantId });
console.log(
  `  rows: ${await rows(cloudEvents.name)} events, ${await rows(cloudEventRecords.name)} packs, ${await rows(cloudEventUsage.name)} uses, ${await rows(cloudEventCoverage.name)} logs`,
);
console.log(`  ${(bytesOf(data) / EVENTS).toFixed(0)} bytes of disk for each event`);

const [bareBefore, bareBegan] = [cpu(), performance.now()];
for (const definition of [cloudEvents, cloudEventRecords]) await bareInsert(db, definition as CollectionDefinition, deployment.tenantId);
const bareAfter = cpu();
const bare = bareAfter.main - bareBefore.main + bareAfter.store - bareBefore.store;
console.log(
  `  bare bulk insert of the same rows, reading them included: ${micros(bareBefore.main, bareAfter.main)} + ${micros(bareBefore.store, bareAfter.store)} in ${((performance.now() - bareBegan) / 1000).toFixed(0)} s; the import takes ${(cost / bare).toFixed(2)} times its CPU`,
);

await worker.stop();
await client.close();
await deployment.close();
await store.stop();
rmSync(folder, { recursive: true, force: true });
