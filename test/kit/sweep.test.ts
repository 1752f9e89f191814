import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sweepTemporaryFolders } from '../../embedded/temporary-folder.js';
import { sweepUploads } from '../../kit/store/upload-sweep.js';
import { needing } from '../support/shared.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palisade-sweep-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const HOUR = 3_600;
const age = (path: string, seconds: number) => utimesSync(path, Date.now() / 1000 - seconds, Date.now() / 1000 - seconds);

describe('uploads that were cut off', () => {
  it('are removed when nothing was written to them for long; whole ones and running ones stay', async () => {
    const tenant = join(folder, 'tenant');
    mkdirSync(tenant);
    const [old, running, whole] = ['old.part', 'running.part', 'whole'].map((name) => join(tenant, name)) as [string, string, string];
    for (const path of [old, running, whole]) writeFileSync(path, 'x');
    for (const path of [old, whole]) age(path, 2 * HOUR);
    expect(await sweepUploads(folder, HOUR * 1000)).toBe(1);
    expect([old, running, whole].map((path) => existsSync(path))).toEqual([false, true, true]);
    expect(await sweepUploads(folder, 0)).toBe(1);
    expect([existsSync(running), existsSync(whole)]).toEqual([false, true]);
    expect(await sweepUploads(join(folder, 'none'), 0)).toBe(0);
  });
});

const onUnix = needing(process.platform === 'win32' ? undefined : true).it;

onUnix('temporary stores are removed once their process was killed, and never before', async () => {
  // listens as the store does, in a process of its own
  const make = async (name: string, socket: string) => {
    const path = join(folder, name);
    mkdirSync(path);
    const program = `require('node:net').createServer().listen(${JSON.stringify(join(path, socket))}, () => console.log('up'))`;
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    age(path, HOUR);
    return { path, child };
  };
  const dead = await Promise.all([make('palisade-store-aaaaaa', 'store.sock'), make('palisade-objects-bbbbbb', 'alive.sock')]);
  const [live, young] = await Promise.all([make('palisade-store-cccccc', 'store.sock'), make('palisade-store-dddddd', 'store.sock')]);
  const empty = (name: string, seconds: number) => {
    mkdirSync(join(folder, name));
    age(join(folder, name), seconds);
    return join(folder, name);
  };
  const abandoned = empty('palisade-store-eeeeee', 2 * HOUR);
  const others = [
    empty('palisade-store-ffffff', HOUR / 2),
    ...['palisade-backup', 'palisade-store-toolong1'].map((name) => empty(name, 2 * HOUR)),
  ];
  for (const { child } of [...dead, young]) {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
  age(young.path, 0);
  try {
    expect((await sweepTemporaryFolders(folder)).sort()).toEqual([...dead.map(({ path }) => path), abandoned].sort());
    for (const path of [live.path, young.path, ...others]) expect([path, existsSync(path)]).toEqual([path, true]);
  } finally {
    live.child.kill('SIGKILL');
  }
});
