import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '../../kit/store/database.js';
import { copyDemo } from '../support/demo.js';
import { runCommand, startProcess, untilReady, type TestProcess } from '../support/process.js';
import { Client } from '../support/world.js';

// processes over data folders, one after another
jest.setTimeout(600_000);

const env = { MONGODB_URI: '', LOG_LEVEL: 'silent', RATE_LIMITS: 'enterprise=1000000/1000000' };
let root: string;
let data: string;
let password: string;
let server: TestProcess | null = null;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'palisade-backup-'));
  data = join(root, 'data');
  ({ password } = await copyDemo(data));
});
afterAll(async () => {
  await server?.end('SIGKILL');
  rmSync(root, { recursive: true, force: true });
});

const palisade = (...args: string[]) => runCommand(args, env);
async function start(folder: string): Promise<TestProcess> {
  server = await startProcess(['--data', folder], env);
  await untilReady(server);
  return server;
}
async function signIn(url: string): Promise<Client> {
  const body = { email: 'analyst@acme.example', password };
  const answer = await new Client(url, null, null).call('/api/auth/login', { body });
  if (answer.status !== 200) throw new Error(answer.text);
  return new Client(url, null, null).withCookieOf(answer);
}
const move = async (client: Client, id: string, status: string) =>
  (await client.call(`/api/v1/views/finding/check/${id}/status`, { method: 'PATCH', body: { status } })).status;
const statusOf = async (client: Client, id: string) =>
  (await client.call<{ finding: { status: string } }>(`/api/v1/views/finding/check/${id}`)).body.finding.status;

describe('a backup of a data folder', () => {
  it('holds every write that was acknowledged before it, beside a server that goes on writing, and is put back whole', async () => {
    const { url } = await start(data);
    const client = await signIn(url);
    const { body } = await client.call<{ items: { finding_id: string }[] }>('/api/v1/check/findings?page_size=60&status=OPEN');
    const [before, during] = [body.items.slice(0, 10), body.items.slice(10)].map((items) => items.map(({ finding_id }) => finding_id));
    for (const id of before!) expect(await move(client, id, 'IN_PROGRESS')).toBe(200);

    const backup = join(root, 'backup');
    const made = palisade('backup', backup, '--data', data);
    let isOver = false;
    void made.finally(() => (isOver = true));
    let moves = 0;
    while (!isOver)
      expect(
        await move(client, during![moves % during!.length]!, moves++ % (2 * during!.length) < during!.length ? 'IN_PROGRESS' : 'OPEN'),
      ).toBe(200);
    expect(moves).toBeGreaterThan(0);
    expect(await made).toMatchObject({ code: 0, stderr: '' });
    const key = readFileSync(join(data, 'master.key'), 'utf8').trim();
    for (const name of readdirSync(backup)) if (name.endsWith('.json')) expect(readFileSync(join(backup, name), 'utf8')).not.toContain(key);
    expect(existsSync(join(backup, 'master.key'))).toBe(false);
    await server!.end('SIGKILL');

    const restored = join(root, 'restored');
    expect(await palisade('restore', backup, '--data', restored)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--key-file') as string,
    });
    expect(existsSync(restored)).toBe(false);
    const put = await palisade('restore', backup, '--data', restored, '--key-file', join(data, 'master.key'));
    expect(put).toMatchObject({ code: 0, stderr: '' });
    expect(put.stdout).toMatch(/^\d+ entries of \S+ hold$/m);
    const { url: again } = await start(restored);
    // everybody signs in anew
    expect((await new Client(again, client.cookie, null).call('/api/v1/users/me')).status).toBe(401);
    const reader = await signIn(again);
    for (const id of before!) expect(await statusOf(reader, id)).toBe('IN_PROGRESS');
    await server!.end('SIGTERM');
    expect(await palisade('restore', backup, '--data', restored, '--key-file', join(data, 'master.key'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not empty') as string,
    });
  });

  it('is refused where it is not whole, or the key is another one', async () => {
    const backup = join(root, 'backup');
    const target = join(root, 'never');
    const key = join(data, 'master.key');
    const attempt = async (folder: string, keyFile = key) => {
      const { code, stderr } = await palisade('restore', folder, '--data', target, '--key-file', keyFile);
      expect([code, existsSync(target)]).toEqual([1, false]);
      return stderr;
    };
    const copy = (name: string) => {
      const folder = join(root, name);
      cpSync(backup, folder, { recursive: true });
      return folder;
    };
    const cut = copy('cut');
    truncateSync(join(cut, 'store/snapshot-00000001.bin'), 1_000);
    expect(await attempt(cut)).toContain('store/snapshot-00000001.bin is damaged');
    const without = copy('without');
    rmSync(join(without, 'manifest.json'));
    expect(await attempt(without)).toContain('holds no whole backup');
    const absent = copy('absent');
    rmSync(join(absent, 'store/snapshot-00000001.bin'));
    expect(await attempt(absent)).toContain('is missing in the backup');
    const other = join(root, 'other.key');
    writeFileSync(other, Buffer.alloc(32, 7).toString('base64url'));
    expect(await attempt(backup, other)).toMatch(/made under the master key [0-9a-f]{32}, and \S+ is [0-9a-f]{32}/);
  });

  it('that was interrupted is not taken for whole, and a restore that was interrupted is begun anew', async () => {
    // as a kill leaves it before the manifest, which comes last
    const half = join(root, 'half');
    mkdirSync(join(half, 'store'), { recursive: true });
    copyFileSync(join(root, 'backup/store/snapshot-00000001.bin'), join(half, 'store/snapshot-00000001.bin'));
    const key = join(data, 'master.key');
    expect(await palisade('restore', half, '--data', join(root, 'x'), '--key-file', key)).toMatchObject({ code: 1 });
    expect(await palisade('backup', half, '--data', data)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not empty') as string,
    });

    const torn = join(root, 'torn');
    mkdirSync(join(torn, '.restoring/store'), { recursive: true });
    expect(await palisade('audit', 'verify', '--tenant', 'x', '--data', torn).catch(() => ({ code: 1 }))).not.toMatchObject({ code: 0 });
    expect(existsSync(join(torn, 'store'))).toBe(false);
    expect(await palisade('restore', join(root, 'backup'), '--data', torn, '--key-file', key)).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(join(torn, '.restoring'))).toBe(false);
  });

  it('over MongoDB is the database server’s to make, and says so', async () => {
    const mongodb = { ...env, MONGODB_URI: 'mongodb://127.0.0.1:1/', PALISADE_SECRET: 'a secret that is long enough for this test' };
    const { code, stderr } = await runCommand(['backup', join(root, 'mongo')], mongodb);
    expect([code, stderr]).toEqual([1, expect.stringContaining('mongodump')]);
    expect(existsSync(join(root, 'mongo'))).toBe(false);
  });
});

describe('a rotation of the master key of a data folder', () => {
  it('waits until the server has stopped, keeps people signed in and every audit log whole', async () => {
    const { url } = await start(data);
    const client = await signIn(url);
    expect(await palisade('keys', 'rotate-master', '--data', data)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('stop it first') as string,
    });
    await server!.end('SIGTERM');
    const old = readFileSync(join(data, 'master.key'), 'utf8');
    expect(existsSync(join(data, 'master.key.new'))).toBe(false);
    const rotated = await palisade('keys', 'rotate-master', '--data', data);
    expect(rotated).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(data, 'master.key'), 'utf8')).not.toBe(old);
    expect(existsSync(join(data, 'master.key.new'))).toBe(false);

    const { url: again } = await start(data);
    const same = new Client(again, client.cookie, null);
    expect((await same.call('/api/v1/users/me')).status).toBe(200);
    const { body } = await same.call<{ tenant_id: string }>('/api/v1/users/me');
    expect(await palisade('audit', 'verify', '--tenant', body.tenant_id, '--data', data)).toMatchObject({ code: 0, stderr: '' });
    await server!.end('SIGTERM');
    server = null;

    // the old secret opens nothing any more
    const stale = join(root, 'stale.key');
    writeFileSync(stale, old);
    const put = await palisade('restore', join(root, 'backup'), '--data', join(root, 'y'), '--key-file', join(data, 'master.key'));
    expect(put).toMatchObject({ code: 1, stderr: expect.stringContaining('made under the master key') as string });
    const current = readFileSync(join(data, 'master.key'), 'utf8');
    writeFileSync(join(data, 'master.key'), old);
    await expect(startProcess(['--data', data], env)).rejects.toThrow('The database is under the master key');
    writeFileSync(join(data, 'master.key'), current);
  });
});

describe('a rotation of the master key of a database', () => {
  it('takes the new secret from the environment or a file, and the old one is refused from then on', async () => {
    const [old, next] = ['the present secret of this deployment 1', 'the coming secret of this deployment 22'];
    const MONGODB_DB = `rotated_${process.pid}`;
    const over = { MONGODB_URI: process.env['PALISADE_TEST_MONGODB_URI']!, MONGODB_DB };
    const run = (secret: string, args: string[], more: Record<string, string> = {}) =>
      runCommand(args, { ...over, PALISADE_SECRET: secret, ...more });
    const made = await run(old, ['tenant', 'create', '--organization', 'Acme', '--name', 'Acme', '--admin', 'a@acme.example']);
    const tenant = /ten_[0-9a-f]+/.exec(made.stdout)![0];
    expect(await run(old, ['tenant', 'erase', '--tenant', tenant])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was not ended') as string,
    });
    expect(await run(old, ['tenant', 'restore', '--tenant', tenant])).toMatchObject({ code: 1 });
    expect(await run(old, ['keys', 'rotate-master'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('PALISADE_SECRET_NEW') as string,
    });
    expect(await run(old, ['keys', 'rotate-master'], { PALISADE_SECRET_NEW: 'short' })).toMatchObject({ code: 1 });
    const file = join(root, 'new.secret');
    writeFileSync(file, `${next}\n`);
    const rotate = () => run(old, ['keys', 'rotate-master'], { PALISADE_SECRET_NEW_FILE: file });
    expect(await rotate()).toMatchObject({ code: 0, stderr: '' });
    expect(await rotate()).toMatchObject({ code: 0, stderr: '' });
    const verify = (secret: string) => run(secret, ['audit', 'verify', '--tenant', tenant]);
    expect(await verify(next)).toMatchObject({ code: 0, stdout: expect.stringContaining('entries') as string });
    expect((await verify(old)).code).not.toBe(0);
    const database = await Database.open(over.MONGODB_URI, MONGODB_DB, []);
    await database.drop();
    await database.close();
  });
});
