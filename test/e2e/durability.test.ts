import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bucket, ocsf, type PostureRecord } from '../support/reports.js';
import { copyDemo } from '../support/demo.js';
import { startProcess, untilReady, type TestProcess } from '../support/process.js';
import { Client } from '../support/world.js';

// One process over a data folder, ended in the worst ways.
const LONG = 600_000;
const RECORDS = 6_000;
const env = { LOG_LEVEL: 'silent', RATE_LIMITS: 'enterprise=1000000/1000000' };

let folder: string;
let password: string;
let server: TestProcess | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palisade-durable-'));
});
afterEach(async () => {
  await server?.end('SIGKILL');
  server = null;
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a server over the folder with the demo in it. */
async function startDemo(): Promise<TestProcess> {
  ({ password } = await copyDemo(folder));
  return restart();
}

async function restart(args: string[] = []): Promise<TestProcess> {
  server = await startProcess(['--data', folder, ...args], env);
  await untilReady(server);
  return server;
}

async function signIn(url: string, email = 'analyst@acme.example'): Promise<Client> {
  const { headers, status, text } = await new Client(url, null, null).call('/api/auth/login', { body: { email, password } });
  if (status !== 200) throw new Error(text);
  return new Client(url, headers.get('set-cookie')!.split(';')[0]!, null);
}

const records: PostureRecord[] = Array.from({ length: RECORDS }, (_, n) => ({
  rule: `rule_${n % 50}`,
  resource: bucket(`b-${n}`),
  account: '999988887777',
}));
const total = async (client: Client) => (await client.call<{ total: number }>('/api/v1/check/findings?account_id=999988887777')).body.total;

describe('a process with a data folder', () => {
  it(
    'keeps every acknowledged move over kill -9, and its chain of audit entries holds',
    async () => {
      let { url } = await startDemo();
      let client = await signIn(url);
      const { body } = await client.call<{ items: { finding_id: string }[] }>('/api/v1/check/findings?page_size=10');
      const moved: string[] = [];
      for (const { finding_id } of body.items) {
        const { status } = await client.call(`/api/v1/views/finding/check/${finding_id}/status`, {
          method: 'PATCH',
          body: { status: 'IN_PROGRESS' },
        });
        expect(status).toBe(200);
        moved.push(finding_id);
      }
      await server!.end('SIGKILL');
      ({ url } = await restart());
      client = await signIn(url);
      const after = await client.call<{ items: { finding_id: string }[] }>('/api/v1/check/findings?status=IN_PROGRESS');
      expect(after.body.items.map(({ finding_id }) => finding_id).sort()).toEqual(moved.sort());
      expect(await server!.end('SIGTERM')).toBe(0);
      server = null;
      const { stdout } = await promisify(execFile)(process.execPath, [
        join(__dirname, '../../dist/main.js'),
        'audit',
        'verify',
        '--tenant',
        'acme-prod',
        '--data',
        folder,
      ]);
      expect(stdout).toMatch(/^\d+ entries of acme-prod hold/);
    },
    LONG,
  );

  it(
    'ends cleanly at SIGINT and finds its data again, without its demo being loaded twice',
    async () => {
      const first = await startDemo();
      const before = (await (await signIn(first.url)).call<{ total: number }>('/api/v1/check/findings')).body.total;
      expect(await first.end('SIGINT')).toBe(0);
      const { url } = await restart();
      expect((await (await signIn(url)).call<{ total: number }>('/api/v1/check/findings')).body.total).toBe(before);
    },
    LONG,
  );

  it(
    'does not start on a store that is damaged, and names file and offset',
    async () => {
      await restart(['--empty']);
      await server!.end('SIGTERM');
      server = null;
      const rows = join(folder, 'store/rows');
      const log = readdirSync(rows).find((name) => name.endsWith('.log'))!;
      const bytes = readFileSync(join(rows, log));
      bytes.fill(0x55, 1_000, 1_100);
      writeFileSync(join(rows, log), bytes);
      await expect(restart(['--empty'])).rejects.toThrow(new RegExp(`${log} is damaged at byte \\d+`));
    },
    LONG,
  );

  it(
    'ends and says so when its store finds damage while it runs',
    async () => {
      await restart(['--empty']);
      await server!.end('SIGTERM');
      const running = await restart(['--empty']);
      const rows = join(folder, 'store/rows');
      const table = readdirSync(rows).find((name) => name.endsWith('.ldb'))!;
      const bytes = readFileSync(join(rows, table));
      bytes[100]! ^= 1;
      writeFileSync(join(rows, table), bytes);
      expect(await running.ended).toBe(1);
      expect(running.output()).toMatch(/the embedded store has stopped, so this process ends: .*\.ldb is damaged at byte 0/);
    },
    LONG,
  );

  it.each([
    ['beside a running server', true],
    ['on its own', false],
  ])(
    'imports from a shell, %s, what the server then shows',
    async (_case, running) => {
      let { url } = await startDemo();
      if (!running) await server!.end('SIGTERM');
      const report = join(folder, 'report.json');
      writeFileSync(report, JSON.stringify(ocsf(records.slice(0, 10))));
      const args = [join(__dirname, '../../dist/main.js'), 'import', report, '--tenant', 'acme-prod', '--data', folder];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      expect(stdout).toMatch(/COMPLETED, ocsf, 10 records, 0 skipped, 10 new/);
      if (!running) ({ url } = await restart());
      expect(await total(await signIn(url))).toBe(10);
    },
    LONG,
  );

  it(
    'lets no second server open its folder',
    async () => {
      await restart(['--empty']);
      await expect(startProcess(['--data', folder, '--empty'], env)).rejects.toThrow(/in use by process \d+/);
    },
    LONG,
  );
});
