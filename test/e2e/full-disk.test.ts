import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, rmdirSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { copyDemo } from '../support/demo.js';
import { runCommand, startProcess, untilReady, type TestProcess } from '../support/process.js';
import { needing } from '../support/shared.js';
import { Client } from '../support/world.js';

// One process whose data folder is a disk of its own, a small one in memory, which somebody fills to the last byte.
const env = { LOG_LEVEL: 'silent', RATE_LIMITS: 'enterprise=1000000/1000000' };

const disk = mkdtempSync(join(tmpdir(), 'palisade-disk-'));
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=128m', 'tmpfs', disk]).status === 0;
let server: TestProcess | undefined;
let password: string;
afterAll(async () => {
  await server?.end('SIGKILL');
  if (isMounted) spawnSync('umount', [disk]);
  rmdirSync(disk);
});

const filler = join(disk, 'filler');
/** Takes what room there is, though the server may take some of it meanwhile. */
function fill(): void {
  const page = Buffer.alloc(statfsSync(disk).bsize);
  while (statfsSync(disk).bavail > 0)
    try {
      appendFileSync(filler, page);
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    }
}

interface Finding {
  finding_id: string;
  status: string;
}

async function start(): Promise<Client> {
  server = await startProcess(['--data', join(disk, 'data')], env);
  await untilReady(server);
  const { headers } = await new Client(server.url, null, null).call('/api/auth/login', {
    body: { email: 'analyst@acme.example', password },
  });
  return new Client(server.url, headers.get('set-cookie')!.split(';')[0]!, null);
}

needing(isMounted || undefined).it(
  'while the disk is full writes answer 503 and reads go on; writes go on by themselves when there is room (needs the right to mount)',
  async () => {
    ({ password } = await copyDemo(join(disk, 'data')));
    const client = await start();
    const list = () => client.call<{ items: Finding[]; total: number }>('/api/v1/check/findings?page_size=5');
    const { items, total } = (await list()).body;
    const move = ({ finding_id }: Finding, status: string) =>
      client.call(`/api/v1/views/finding/check/${finding_id}/status`, { method: 'PATCH', body: { status } });
    const [first, second] = items as [Finding, Finding];
    expect((await move(first, 'IN_PROGRESS')).status).toBe(200);
    fill();
    for (let answer = 200; answer === 200; await sleep(100)) answer = (await move(first, 'OPEN')).status;
    for (let n = 0; n < 20; n++) {
      expect(await move(second, 'IN_PROGRESS')).toMatchObject({ status: 503, body: { error_code: 'UPSTREAM_UNAVAILABLE' } });
      const read = await list();
      expect([read.status, read.body.total]).toEqual([200, total]);
      expect(read.body.items.find(({ finding_id }) => finding_id === second.finding_id)?.status).toBe('OPEN');
    }
    rmSync(filler);
    for (let answer = 503; answer !== 200; await sleep(100)) answer = (await move(second, 'IN_PROGRESS')).status;
    expect(await server!.end('SIGTERM')).toBe(0);
    const verified = await runCommand(['audit', 'verify', '--tenant', 'acme-prod', '--data', join(disk, 'data')]);
    expect(verified).toMatchObject({ stdout: expect.stringMatching(/^\d+ entries of acme-prod hold/) as string });
    const again = await start();
    const after = await again.call<{ items: Finding[] }>('/api/v1/check/findings?status=IN_PROGRESS&page_size=100');
    expect(after.body.items.map(({ finding_id }) => finding_id)).toContain(second.finding_id);
  },
);
