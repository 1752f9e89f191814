import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, openReceiver, type Receiver } from '../support/receiver.js';
import { bucket, ocsf } from '../support/reports.js';
import { startProcess, type TestProcess } from '../support/process.js';
import { createHook, findHook, ledger, type Hook } from '../support/webhooks.js';
import { Client } from '../support/world.js';

// One process over a data folder, killed while it hands out and sends events: nothing is lost, and no event is recorded twice.
const LONG = 180_000;
const PASSWORD = 'a password for the demo';
const FINDINGS = 3_000;
const env = {
  DEMO_PASSWORD: PASSWORD,
  LOG_LEVEL: 'silent',
  RATE_LIMITS: 'enterprise=1000000/1000000',
  OUTBOUND_ALLOW: '127.0.0.0/8',
};

let folder: string;
let server: TestProcess;
let endpoint: Receiver;
let hook: Hook;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'palisade-outbox-'));
  endpoint = await openReceiver(() => new Promise((resolve) => setTimeout(() => resolve(204), 3)));
});
afterEach(async () => {
  await server.end('SIGKILL');
  await endpoint.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<Client> {
  server = await startProcess(['--data', folder], env);
  const body = { email: 'admin@acme.example', password: PASSWORD };
  const { headers, text } = await new Client(server.url, null, null).call('/api/auth/login', { body });
  const cookie = headers.get('set-cookie');
  if (!cookie) throw new Error(text);
  return new Client(server.url, cookie.split(';')[0]!, null);
}

const startImport = (admin: Client) =>
  admin.call('/api/v1/scans/imports?scan_run_id=many', {
    raw: JSON.stringify(ocsf(Array.from({ length: FINDINGS }, (_, n) => ({ rule: `rule_${n % 9}`, resource: bucket(`b-${n}`) })))),
  });

/** Each opened finding has one delivery, and each delivery has come at least once. */
async function expectAll(admin: Client): Promise<void> {
  await eventually(
    async () => (await admin.call<{ state: string }>('/api/v1/scan-runs/many')).body.state,
    (state) => state === 'COMPLETED',
    90,
  );
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
  'a process that is killed again and again in the middle of events loses none and records none twice',
  async () => {
    let admin = await start();
    hook = await createHook(admin, endpoint.url, { events: ['finding.open'] });
    await startImport(admin);
    for (const messages of [1, 400, 900]) {
      await endpoint.until(messages, 90);
      await server.end('SIGKILL');
      admin = await start();
    }
    await expectAll(admin);
    // at least once: what was in flight at a kill came again, eight at most each time
    expect(endpoint.received.length - FINDINGS).toBeLessThanOrEqual(3 * 8);
  },
  LONG,
);

it(
  'a process that ends in order sends nothing twice',
  async () => {
    let admin = await start();
    hook = await createHook(admin, endpoint.url, { events: ['finding.open'] });
    await startImport(admin);
    await endpoint.until(200, 60);
    expect(await server.end('SIGTERM')).toBe(0);
    admin = await start();
    await expectAll(admin);
    expect(endpoint.received).toHaveLength(FINDINGS);
  },
  LONG,
);
