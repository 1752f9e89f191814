import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { typeOfMount } from '../../embedded/folder/filesystem.js';
import { openEmbeddedStore, StoreInUseError } from '../../embedded/index.js';
import { needing } from '../support/shared.js';
import { cleanUp, temporaryFolder } from './stores.js';

const SERVE = join(__dirname, '../../dist/embedded/serve.js');
/** A process in a PID namespace of its own, as in another container, where process numbers mean something else. */
const UNSHARE = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];
const canUnshare = spawnSync(UNSHARE[0]!, [...UNSHARE.slice(1), 'true']).status === 0;
const elsewhere = needing(canUnshare || undefined).it;
const inAnotherNamespace = canUnshare ? 'in another PID namespace' : 'in another PID namespace (needs the right to unshare)';

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  cleanUp();
});

interface Started {
  /** null when the store was opened. */
  refusal: string | null;
  kill(): Promise<void>;
}

/** Opens the store of a folder in a process of its own, until it is killed. */
async function open(dir: string, prefix: readonly string[] = []): Promise<Started> {
  const [command, ...args] = [...prefix, process.execPath, SERVE, '--dir', dir];
  const child = spawn(command!, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  const ended = once(child, 'close');
  const opened = new Promise<true>((resolve) => createInterface({ input: child.stdout }).once('line', () => resolve(true)));
  const up = await Promise.race([opened, ended.then(() => false)]);
  return {
    refusal: up ? null : (lines.find((line) => /^\w+Error: /.test(line)) ?? lines.join('\n')),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

describe('the lock of a data folder', () => {
  it('is freed at once by kill -9', async () => {
    const dir = temporaryFolder();
    const first = await open(dir);
    expect(first.refusal).toBeNull();
    expect((await open(dir)).refusal).toMatch(/^StoreInUseError: the embedded store is in use by process \d+/);
    await first.kill();
    const next = await open(dir);
    expect(next.refusal).toBeNull();
    await next.kill();
  });

  elsewhere(`holds for a process ${inAnotherNamespace}, and both ways`, async () => {
    const dir = temporaryFolder();
    const here = await open(dir);
    expect((await open(dir, UNSHARE)).refusal).toMatch(/in use by a process of another container/);
    await here.kill();
    const there = await open(dir, UNSHARE);
    expect(there.refusal).toBeNull();
    expect((await open(dir)).refusal).toMatch(/^StoreInUseError/);
    expect((await open(dir, UNSHARE)).refusal).toMatch(/^StoreInUseError/);
    await there.kill();
    const after = await open(dir, UNSHARE);
    expect(after.refusal).toBeNull();
    await after.kill();
  });

  it('stays with its process after a second try of the same process', async () => {
    const dir = temporaryFolder();
    const store = await openEmbeddedStore({ dir });
    await expect(openEmbeddedStore({ dir })).rejects.toBeInstanceOf(StoreInUseError);
    expect((await open(dir)).refusal).toMatch(/^StoreInUseError/);
    await store.close();
    await (await openEmbeddedStore({ dir })).close();
  });

  it('of a store that could not be opened is given back', async () => {
    const dir = temporaryFolder();
    writeFileSync(
      join(dir, 'journal-00000001.bin'),
      Buffer.concat([Buffer.from([4, 0, 0, 0, 1, 1, 1, 1, 9, 9, 9, 9]), Buffer.alloc(50, 7)]),
    );
    await expect(openEmbeddedStore({ dir })).rejects.toThrow(/is damaged/);
    writeFileSync(join(dir, 'journal-00000001.bin'), '');
    await (await openEmbeddedStore({ dir })).close();
  });
});

describe('the lock file of an earlier release', () => {
  const startOf = (pid: number) =>
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')[19];
  const withLock = (content: string) => {
    const dir = temporaryFolder();
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'lock'), content);
    return dir;
  };
  const onLinux = needing(process.platform === 'linux' || undefined).it;

  onLinux('is kept while its process lives', async () => {
    const living = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    children.push(living);
    const dir = withLock(`${living.pid} ${startOf(living.pid!)}\n`);
    await expect(openEmbeddedStore({ dir })).rejects.toThrow(`in use by process ${living.pid}`);
    const ended = once(living, 'close');
    living.kill('SIGKILL');
    await ended;
    const seesAll = spawnSync('readlink', ['/proc/self/ns/pid']).stdout.toString().includes('4026531836');
    if (seesAll) await (await openEmbeddedStore({ dir })).close();
    else await expect(openEmbeddedStore({ dir })).rejects.toThrow(/earlier release/);
  });

  elsewhere(`is not taken over ${inAnotherNamespace}, where nobody can tell whether its process lives`, async () => {
    const dir = withLock('4000000 12345\n');
    expect((await open(dir, UNSHARE)).refusal).toMatch(
      /^StoreLockError: process 4000000 of an earlier release .* remove .*lock and start again/,
    );
  });
});

it('tells the file system of a folder from the mounts', () => {
  const mounts = [
    '21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
    '22 21 0:40 / /mnt/share\\040one rw shared:2 master:1 - nfs4 server:/x rw',
    '23 21 0:41 / /mnt/share rw - fuse.sshfs host:/y rw',
    '24 23 8:2 / /mnt/share/local rw - xfs /dev/sdb1 rw',
  ].join('\n');
  const types = ['/home/palisade', '/mnt/share one/data', '/mnt/share', '/mnt/share/local/data', '/mnt/shared'].map((path) =>
    typeOfMount(mounts, path),
  );
  expect(types).toEqual(['ext4', 'nfs4', 'fuse.sshfs', 'xfs', 'ext4']);
});
