import { eventually, openReceiver, type Receiver } from '../support/receiver.js';
import { bucket, ocsf } from '../support/reports.js';
import { createHook, findHook, ledger, type Hook } from '../support/webhooks.js';
import type { TestProcess } from '../support/process.js';
import { openProcesses, type OwnWorld } from '../support/own-world.js';
import { type Client } from '../support/world.js';

// Servers that end while they hand out and send events: nothing is lost, and no event is recorded twice.
const LONG = 600_000;
const FINDINGS = 600;

let world: OwnWorld<TestProcess>;
let endpoint: Receiver;
/** Milliseconds that the endpoint takes to answer. */
let slowness: number;
let admin: Client;
let hook: Hook;
beforeEach(async () => {
  slowness = 100;
  endpoint = await openReceiver(() => new Promise((resolve) => setTimeout(() => resolve(204), slowness)));
  world = await openProcesses({ env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
  admin = await (await world.tenant()).as('tenant_admin');
  hook = await createHook(admin, endpoint.url, { events: ['finding.open'] });
}, LONG);
afterEach(async () => {
  await world.close();
  await endpoint.close();
}, LONG);

/** Ends the server that runs and starts another one. */
async function replace(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  await world.servers.at(-1)!.end(signal);
  await world.start();
  admin = world.at(admin, world.servers.length - 1);
}

const startImport = () =>
  admin.call('/api/v1/scans/imports?scan_run_id=many', {
    raw: JSON.stringify(ocsf(Array.from({ length: FINDINGS }, (_, n) => ({ rule: `rule_${n % 9}`, resource: bucket(`b-${n}`) })))),
  });
const imported = () =>
  eventually(
    async () => (await admin.call<{ state: string }>('/api/v1/scan-runs/many')).body.state,
    (state) => state === 'COMPLETED',
    90,
  );

/** Each opened finding has one delivery, and each delivery has come at least once. */
async function expectAll(): Promise<void> {
  await imported();
  await eventually(
    async () => [(await findHook(admin, hook)).health.pending, new Set(endpoint.received.map(({ headers }) => headers['webhook-id'])).size],
    ([pending, ids]) => pending === 0 && ids === FINDINGS,
    90,
  );
  const rows = await ledger(admin, hook);
  expect(rows).toHaveLength(FINDINGS);
  expect(new Set(rows.map(({ seq }) => seq)).size).toBe(FINDINGS);
  expect(new Set(rows.map(({ payload }) => payload.data['finding_id'])).size).toBe(FINDINGS);
  expect(new Set(rows.map(({ delivery_id }) => delivery_id))).toEqual(
    new Set(endpoint.received.map(({ headers }) => headers['webhook-id'])),
  );
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['sent']));
}

it(
  'a server that is killed again and again in the middle of events loses none and records none twice',
  async () => {
    await startImport();
    await replace('SIGKILL');
    await endpoint.until(50);
    await replace('SIGKILL');
    await endpoint.until(200);
    await replace('SIGKILL');
    slowness = 0;
    await expectAll();
    // at least once: what was in flight at a kill came again, eight at most each time
    expect(endpoint.received.length - FINDINGS).toBeLessThanOrEqual(2 * 8);
  },
  LONG,
);

it(
  'a server that ends in order sends nothing twice',
  async () => {
    await startImport();
    await endpoint.until(50);
    await replace('SIGTERM');
    slowness = 0;
    await expectAll();
    expect(endpoint.received).toHaveLength(FINDINGS);
  },
  LONG,
);
