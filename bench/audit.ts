// The walk over an audit chain, against the bare HMAC of the same bytes and against reading the same rows alone.
import { createHmac } from 'node:crypto';
import { auditLog } from '../kit/audit/audit.js';
import type { AuditInput } from '../kit/audit/entry.js';
import { getAuditLog } from '../kit/engine/create-context.js';
import { deploy, stores } from './deployment.js';
import { median } from './load.js';

const ENTRIES = 10_000;
const BATCH = 500;
const ROUNDS = 5;

const entry = (n: number): AuditInput => ({
  action: 'finding.status',
  actor_email: `analyst-${n % 7}@bench.example`,
  target: `finding:check/${n.toString(16).padStart(32, '0')}`,
  role: 'analyst',
  ip_address: '192.0.2.1',
  result: 'success',
  detail: { from: 'OPEN', to: 'RESOLVED', note: `Fixed in change ${n}` },
});

/** Milliseconds, of several rounds. */
async function timed(work: () => Promise<void> | void): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const began = performance.now();
    await work();
    if (round) took.push(performance.now() - began);
  }
  return median(took);
}

for await (const store of stores()) {
  const deployment = await deploy(store.uri);
  const { services } = deployment.opened;
  const log = getAuditLog(services);
  for (let n = 0; n < ENTRIES; n += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, index) => entry(n + index));
    await services.database.transaction((transaction) => log.append(transaction, deployment.tenantId, new Date(), batch));
  }
  const rows = services.database.tenant(deployment.tenantId).collection(auditLog);
  const texts = (await rows.find({}, { sort: { seq: 1 } })).map((row) => JSON.stringify(Object.values({ ...row, hash: null })));
  const key = services.masterKey.derive('audit');

  const verify = await timed(async () => {
    const { entries, broken } = await log.verify(deployment.tenantId);
    if (broken || entries !== ENTRIES + 1) throw new Error(`the chain does not hold: ${JSON.stringify({ entries, broken })}`);
  });
  const hmac = await timed(() => {
    for (const text of texts) createHmac('sha256', key).update(text).digest('hex');
  });
  const read = await timed(async () => {
    for await (const row of rows.scan({}, { sort: { seq: 1 }, batchSize: 1_000 })) if (!row.hash) throw new Error('no hash');
  });
  console.log(
    `${store.name}: ${ENTRIES} entries hold after ${verify.toFixed(0)} ms (at most 1000), ` +
      `${(verify / hmac).toFixed(1)} times the bare HMAC of the same bytes (${hmac.toFixed(0)} ms), ` +
      `${(verify / read).toFixed(2)} times reading the rows alone (${read.toFixed(0)} ms)`,
  );
  await deployment.close();
}
