import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse, tokenizer, tokTypes } from 'acorn';
import { runCommand, startProcess } from '../support/process.js';
import { Client } from '../support/world.js';

// each command is a process of its own
jest.setTimeout(600_000);

const MAIN = join(__dirname, '../../dist/main.js');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'palisade-shell-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A start that ends by itself. */
const start = (args: string[], env: Record<string, string> = {}) => runCommand(args, { MONGODB_URI: '', PORT: '0', ...env });
const firstLine = (output: string) => output.split('\n', 1)[0]!;
const STACK = /^\s+at /m;

describe('a start that cannot succeed says in one line what to set', () => {
  it('port in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const data = join(folder, 'not-made');
    for (const [args, env] of [
      [['--data', data], { PORT: String(port) }],
      [['--data', data, '--port', String(port)], {}],
    ] as const) {
      const { code, stdout, stderr } = await start([...args], env);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(new RegExp(`^palisade all could not start: port ${port} of 127.0.0.1 is in use: .*set PORT .*--port.*\\n$`));
    }
    // told before anything is opened
    expect(existsSync(data)).toBe(false);
    server.close();
  });

  it('address of another machine', async () => {
    expect((await start(['--memory'], { HOST: '192.0.2.1' })).stderr).toMatch(/192\.0\.2\.1 is no address of this machine: set HOST.*\n$/);
  });

  it('data folder that cannot be written', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    const { code, stderr } = await start(['--data', join(file, 'data')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/a-file\/data cannot be written \(ENOTDIR\): .*--data DIR.*\n$/);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect((await start(['--memory'], { OBJECT_DIR: join(file, 'objects') })).stderr).toMatch(
      /cannot be written \(ENOTDIR\): set OBJECT_DIR/,
    );
  });

  it('MongoDB away', async () => {
    const { code, stderr } = await start(['--memory'], {
      MONGODB_URI: 'mongodb://user:pa55word@127.0.0.1:1/?serverSelectionTimeoutMS=100',
    });
    expect(code).toBe(1);
    expect(stderr.trim().split('\n').at(-1)).toMatch(/MONGODB_URI: no MongoDB that can be used answers at 127\.0\.0\.1:1 \(.*ECONNREFUSED/);
    expect(stderr).not.toMatch(STACK);
    expect(stderr).not.toContain('pa55word');
  });

  it('a stack trace stands there with LOG_LEVEL=debug only', async () => {
    const wrong = ['keys', 'list', '--data', join(folder, 'nowhere')];
    expect((await start(wrong)).stderr).not.toMatch(STACK);
    expect((await start(wrong, { LOG_LEVEL: 'debug' })).stderr).toMatch(STACK);
  });
});

describe('the arguments', () => {
  it('--version is that of the package', async () => {
    const { version } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as { version: string };
    expect(await start(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it.each([
    [['--prot', '1'], 'palisade all: unknown option --prot; did you mean --port?'],
    [['worker', '--dta', 'x'], 'palisade worker: unknown option --dta; did you mean --data?'],
    [['import', 'x', '--tenat', 'y'], 'palisade import: unknown option --tenat; did you mean --tenant?'],
    [['all', '--something-else'], 'palisade all: unknown option --something-else'],
    [['all', 'more'], 'palisade all: more is nothing that this command takes'],
    [['chek'], 'palisade: unknown command chek; did you mean check?'],
    [['constructor'], 'palisade: unknown command constructor'],
  ])('%j is refused with 2', async (args, line) => {
    const { code, stdout, stderr } = await start(args);
    expect([code, stdout, firstLine(stderr)]).toEqual([2, '', line]);
  });

  it('--port goes before PORT', async () => {
    const server = await startProcess(['--memory', '--empty', '--port', '0'], { MONGODB_URI: '', PORT: '1' });
    expect(Number(new URL(server.url).port)).toBeGreaterThan(1);
    await server.end('SIGTERM');
  });
});

describe("Node's version", () => {
  it('is checked before anything is loaded', async () => {
    const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.18.3' } });`;
    const preload = join(folder, 'older-node.cjs');
    writeFileSync(preload, pretend);
    const lone = join(folder, 'main.mjs');
    // a copy with nothing beside it: whatever it tried to load would be missing
    writeFileSync(lone, readFileSync(MAIN));
    const child = spawn(process.execPath, ['--require', preload, lone]);
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close') as Promise<[number]>]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Palisade needs Node 20\.19 or newer; this is v[\d.]+\n$/)]);
  });

  it('is the one that package.json names, and the entry is written so that an old one reads it', () => {
    const { engines } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as { engines: { node: string } };
    const built = readFileSync(MAIN, 'utf8');
    expect([engines.node, built]).toEqual(['>=20.19.0', expect.stringContaining('OLDEST_NODE = [20, 19]')]);
    // as a script, which has no static import and no await at the top: ECMAScript 2018, and import() of 2020
    expect(parse(built, { ecmaVersion: 2020, sourceType: 'script', allowHashBang: true }).body.length).toBeGreaterThan(1);
    const tokens = [...tokenizer(built, { ecmaVersion: 2022, allowHashBang: true })].map(({ type }) => type);
    for (const newer of [tokTypes.questionDot, tokTypes.coalesce]) expect(tokens).not.toContain(newer);
  });
});

describe('commands over data', () => {
  it('make no data folder where there was none', async () => {
    const data = join(folder, 'never');
    for (const args of [
      ['import', MAIN, '--tenant', 'acme-prod'],
      ['keys', 'list'],
      ['audit', 'verify', '--tenant', 'acme-prod'],
      ['invite', '--tenant', 'acme-prod', '--email', 'a@b.example', '--role', 'viewer'],
    ]) {
      const { code, stderr } = await start([...args, '--data', data]);
      expect([args[0], code, stderr]).toEqual([
        args[0],
        1,
        expect.stringMatching(/: there is no data in .*never: name the data folder with --data/),
      ]);
    }
    expect(existsSync(data)).toBe(false);
  });

  it('palisade demo load brings the demo to an empty store that runs, once, and leaves other data alone', async () => {
    const data = join(folder, 'demo');
    const server = await startProcess(['--empty', '--data', data], { MONGODB_URI: '' });
    try {
      const secrets = join(folder, 'password');
      writeFileSync(secrets, 'a password from a file\n');
      const env = { DEMO_PASSWORD_FILE: secrets };
      expect(await start(['demo', 'load', '--data', data], env)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('analyst@acme.example'),
      });
      expect((await start(['demo', 'load', '--data', data], env)).code).toBe(0);
      const anonymous = new Client(server.url, null, null);
      const body = { email: 'analyst@acme.example', password: 'a password from a file' };
      const { headers, status } = await anonymous.call('/api/auth/login', { body });
      expect(status).toBe(200);
      const analyst = new Client(server.url, headers.get('set-cookie')!.split(';')[0]!, null);
      expect((await analyst.call<{ total: number }>('/api/v1/check/findings')).body.total).toBeGreaterThan(10);
    } finally {
      await server.end('SIGTERM');
    }
    const own = ['tenant', 'create', '--organization', 'Own', '--name', 'Own', '--admin', 'a@own.example', '--data', join(folder, 'own')];
    expect((await start(own)).code).toBe(0);
    expect(await start(['demo', 'load', '--data', join(folder, 'own')])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('left as it is'),
    });
  });
});
