import { engines as listed } from '../../subgraphs/index.js';
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AuditLog } from '../../kit/audit/audit.js';
import { openMasterKey } from '../../kit/keys/master-key.js';
import { startProcess, type TestProcess } from '../support/process.js';
import { bucket, ocsf } from '../support/reports.js';
import { Client, openWorld, type World } from '../support/world.js';

const LONG = 600_000;
const SECRET = process.env['PALISADE_TEST_SECRET']!;
const at = (client: Client, url: string) => new Client(url, client.cookie, client.user);
const folder = () => mkdtempSync(join(tmpdir(), 'palisade-u2-'));
const until = async (holds: () => Promise<boolean>, what: string) => {
  for (const end = Date.now() + 300_000; !(await holds().catch(() => false)); await new Promise((resolve) => setTimeout(resolve, 50)))
    if (Date.now() > end) throw new Error(`it did not come to this: ${what}`);
};

/** A store in a process of its own, which can be killed and started again at the same address. */
async function startStore(dir: string, port = 0): Promise<{ uri: string; kill(): Promise<void> }> {
  const script = join(__dirname, '../../dist/embedded/serve.js');
  const child = spawn(process.execPath, [script, '--dir', dir, '--port', String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const uri = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the store ended with ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => line.startsWith('mongodb') && resolve(line));
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return { uri, kill: async () => void (child.kill('SIGKILL'), await ended) };
}

const audit = (world: World) => new AuditLog(world.database, openMasterKey({ PALISADE_SECRET: SECRET, dataDir: null }));

describe('U2: the store goes down in the middle of actions', () => {
  it(
    'each is a 503 or done whole: status, counters and audit entry agree when it is back',
    async () => {
      const dir = folder();
      let store = await startStore(dir);
      const shared = process.env['PALISADE_TEST_MONGODB_URI'];
      process.env['PALISADE_TEST_MONGODB_URI'] = store.uri;
      const env = { MONGODB_URI: store.uri, MONGODB_DB: 'u2', PALISADE_SECRET: SECRET, OBJECT_DIR: folder(), LOG_LEVEL: 'silent' };
      const server = await startProcess(['--empty'], { ...env, RATE_LIMITS: 'growth=1000000/1000000' });
      const world = await openWorld('u2', server.url);
      try {
        const tenant = await world.tenant();
        const client = await tenant.as('tenant_admin');
        await client.import(ocsf(Array.from({ length: 40 }, (_, n) => ({ rule: `r${n}`, resource: bucket(`b${n}`) }))));
        const { items } = (await client.call<{ items: { finding_id: string }[] }>('/api/v1/check/findings')).body;
        const acknowledged: string[] = [];
        const moves = (async () => {
          for (const { finding_id } of items) {
            const path = `/api/v1/views/finding/check/${finding_id}/status`;
            const { status } = await client.call(path, { method: 'PATCH', body: { status: 'IN_PROGRESS' } });
            if (status === 200) acknowledged.push(finding_id);
            else expect(status).toBe(503);
          }
        })();
        await until(async () => acknowledged.length >= 5, 'five moves');
        await store.kill();
        await new Promise((resolve) => setTimeout(resolve, 500));
        store = await startStore(dir, Number(new URL(store.uri.replace('mongodb:', 'http:')).port));
        await moves;
        await until(async () => (await client.call('/api/v1/check/findings')).status === 200, 'the store is back');
        const moved = (await client.call<{ items: { finding_id: string }[]; total: number }>('/api/v1/check/findings?status=IN_PROGRESS'))
          .body;
        const ids = moved.items.map(({ finding_id }) => finding_id);
        expect(acknowledged.filter((id) => !ids.includes(id))).toEqual([]);
        const entries = (await client.call<{ total: number }>('/api/v1/audit-logs?action=finding.status')).body;
        expect({ counted: moved.total, entries: entries.total }).toEqual({ counted: ids.length, entries: ids.length });
        expect(await audit(world).verify(tenant.tenant._id)).toMatchObject({ broken: null });
      } finally {
        await server.end('SIGKILL');
        await world.close();
        await store.kill();
        process.env['PALISADE_TEST_MONGODB_URI'] = shared;
      }
    },
    LONG,
  );
});

describe('U2: processes of a deployment are killed', () => {
  const AWAY = ['vulnerability', 'secops'];
  let world: World;
  let env: Record<string, string>;
  const running: TestProcess[] = [];
  const start = async (args: string[], more: Record<string, string> = {}) => {
    const process = await startProcess(args, { ...env, ...more });
    running.push(process);
    return process;
  };
  beforeAll(async () => {
    const name = `${process.env['PALISADE_TEST_DB']}_u2`;
    env = {
      MONGODB_URI: process.env['PALISADE_TEST_MONGODB_URI']!,
      MONGODB_DB: name,
      PALISADE_SECRET: SECRET,
      OBJECT_DIR: folder(),
      RATE_LIMITS: 'growth=1000000/1000000',
      LOG_LEVEL: 'silent',
    };
    await start(['engines'], { ENGINES: AWAY.join(',') });
    world = await openWorld(name);
  }, LONG);
  afterAll(async () => {
    await Promise.all(running.map((process) => process.end('SIGKILL')));
    await world.close();
  });

  it(
    'engines in the middle of the fan-out: the answer names them, and holds the rest',
    async () => {
      const [lone] = running;
      const rest = listed.map((engine) => engine.name).filter((engine) => !AWAY.includes(engine));
      const engines = await start(['engines'], { ENGINES: rest.join(','), ENGINES_URL: lone!.url });
      const gateway = await start(['gateway'], { ENGINES_URL: engines.url });
      const worker = await start(['worker']);
      const client = at(await (await world.tenant()).as('analyst'), gateway.url);
      await client.import(ocsf(['a', 'b'].map((rule) => ({ rule, resource: bucket('one') }))));
      await worker.end('SIGTERM');
      const { items } = (await client.call<{ items: { finding_id: string }[] }>('/api/v1/check/findings')).body;
      const detail = () => client.call(`/api/v1/views/finding/check/${items[0]!.finding_id}`);
      expect((await detail()).body).toMatchObject({ degradedEngines: [], relatedFindings: { items: [{}] } });
      await lone!.end('SIGKILL');
      const { status, body } = await detail();
      expect(status).toBe(200);
      expect([...(body['degradedEngines'] as string[])].sort()).toEqual([...AWAY].sort());
      expect(body).toMatchObject({ restrictedEngines: [], relatedFindings: { items: [{}] } });
    },
    LONG,
  );

  it(
    'the worker at each stage of an import: nothing lost, nothing doubled',
    async () => {
      const engines = await start(['engines']);
      const gateway = await start(['gateway'], { ENGINES_URL: engines.url });
      const tenant = await world.tenant();
      const client = at(await tenant.as('tenant_admin'), gateway.url);
      const RECORDS = 6_000;
      const records = Array.from({ length: RECORDS }, (_, n) => ({ rule: `rule_${n % 50}`, resource: bucket(`b-${n}`) }));
      const run = async () => (await client.call('/api/v1/scan-runs/cut')).body;
      const total = async () => (await client.call<{ total: number }>('/api/v1/check/findings')).body.total;
      let worker = await start(['worker']);
      expect((await client.call('/api/v1/scans/imports?scan_run_id=cut', { raw: JSON.stringify(ocsf(records)) })).status).toBe(202);
      await until(async () => (await run())['state'] === 'RUNNING', 'the run has begun');
      await worker.end('SIGKILL');
      worker = await start(['worker']);
      await until(async () => (await total()) > 0, 'findings are written');
      await worker.end('SIGKILL');
      expect(await total()).toBeLessThan(RECORDS);
      await start(['worker']);
      await until(async () => !['QUEUED', 'RUNNING'].includes(String((await run())['state'])), 'the run is over');
      expect(await run()).toMatchObject({
        state: 'COMPLETED',
        total_findings: RECORDS,
        counts: { records: RECORDS, skipped: 0, new: RECORDS, updated: 0, resolved: 0, regressed: 0 },
      });
      expect(await total()).toBe(RECORDS);
      const opened = await client.call<{ total: number }>('/api/v1/audit-logs?action=finding.open');
      expect(opened.body.total).toBe(RECORDS);
      expect(await audit(world).verify(tenant.tenant._id)).toMatchObject({ broken: null });
    },
    LONG,
  );
});
