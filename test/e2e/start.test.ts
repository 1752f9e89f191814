import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untilEnd } from '../../processes/run.js';
import { startProcess } from '../support/process.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'palisade-start-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("V8's flags", () => {
  // V8 makes this tag of its version and its flags
  const TAG = "import { cachedDataVersionTag } from 'node:v8';\nconst show = () => console.log('tag', cachedDataVersionTag());\n";

  it('are those of Node once a process serves, but for heaps that are kept small', async () => {
    const asked = join(folder, 'asked.mjs');
    writeFileSync(asked, `${TAG}process.on('SIGUSR2', show);`);
    const flags = ['--heap-growing-percent=30', '--input-type=module'];
    const expected = spawnSync(process.execPath, [...flags, '-e', `${TAG}show();`], { encoding: 'utf8' }).stdout.trim();
    expect(expected).toMatch(/^tag \d+$/);
    const server = await startProcess(['--memory', '--empty'], { NODE_OPTIONS: `--import ${asked}` });
    const tag = async (): Promise<string> => {
      for (;;) {
        const [line] = /^tag \d+$/m.exec(server.output()) ?? [];
        if (line) return line;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    process.kill(server.pid, 'SIGUSR2');
    expect(await tag()).toBe(expected);
    await server.end('SIGTERM');
  });

  it('make V8 optimize later in between, and not where Node was given the flag', () => {
    const module = join(__dirname, '../../dist', built(), 'processes/optimizer.js');
    const script = `${TAG}import { optimizeLater, optimizeAsUsual } from '${module}';\nshow(); optimizeLater(); show(); optimizeAsUsual(); show();`;
    const tags = (...flags: string[]) =>
      spawnSync(process.execPath, [...flags, '--input-type=module', '-e', script], { encoding: 'utf8' })
        .stdout.trim()
        .split('\n');
    const [before, between, after] = tags();
    expect(after).toBe(before);
    expect(between).not.toBe(before);
    expect(new Set(tags('--interrupt-budget=70000')).size).toBe(1);
  });
});

/** The folder of the present build. */
const built = () => (JSON.parse(readFileSync(join(__dirname, '../../dist/.build.json'), 'utf8')) as { id: string }).id;

test('a process whose store has stopped by itself ends with the reason', async () => {
  const reason = new Error('out of memory');
  expect(await untilEnd({ stopped: Promise.resolve(reason) })).toBe(reason);
});
