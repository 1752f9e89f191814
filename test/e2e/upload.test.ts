import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyDemo } from '../support/demo.js';
import { runCommand, startProcess, untilReady, type TestProcess } from '../support/process.js';
import { bucket, ocsf } from '../support/reports.js';
import { Client } from '../support/world.js';

// a server with its demo, and a process for each command
jest.setTimeout(600_000);

let folder: string;
let server: TestProcess;
let key: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'palisade-upload-'));
  const { password } = await copyDemo(join(folder, 'data'));
  server = await startProcess(['--data', join(folder, 'data')], { MONGODB_URI: '' });
  await untilReady(server);
  const body = { email: 'admin@acme.example', password };
  const { headers } = await new Client(server.url, null, null).call('/api/auth/login', { body });
  const admin = new Client(server.url, headers.get('set-cookie')!.split(';')[0]!, null);
  const made = await admin.call<{ key: string }>('/api/v1/api-keys', {
    body: { name: 'pipeline', permissions: ['scans:create', 'scans:read'], expires_at: new Date(Date.now() + 86_400_000).toISOString() },
  });
  key = made.body.key;
});
afterAll(async () => {
  await server?.end('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

const file = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
/** A pipeline: no data folder, the key in its environment. */
const upload = (args: string[], env: Record<string, string> = { PALISADE_API_KEY: key }) =>
  runCommand(['import', ...args], { MONGODB_URI: '', PALISADE_API_KEY: '', ...env });

it('sends reports with a key, waits for the end of their runs, and prints the counts', async () => {
  const report = file(
    'report.json',
    ocsf([
      { rule: 'rule_a', resource: bucket('upload-a'), account: '999988887777' },
      { rule: 'rule_b', resource: bucket('upload-b'), account: '999988887777' },
    ]),
  );
  expect(await upload([report, '--server', server.url, '--scan-run-id', 'pipeline-1'])).toMatchObject({
    code: 0,
    stdout: `${report}: COMPLETED, ocsf, 2 records, 0 skipped, 2 new, 0 updated, 0 resolved, 0 regressed (scan run pipeline-1)\n`,
  });
  const keyFile = file('key', `${key}\n`);
  const again = await upload([report, '--server', `${server.url}/`, '--key-file', keyFile], {});
  expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/2 records, 0 skipped, 0 new, 2 updated/)]);
});

it('tells by its exit code what became of each report', async () => {
  const partial = file('partial.json', [...(ocsf([{ rule: 'rule_c', resource: bucket('upload-c') }]) as object[]), { class_uid: 2003 }]);
  const { code, stdout } = await upload([partial, '--server', server.url]);
  expect([code, stdout]).toEqual([3, expect.stringMatching(/: PARTIAL, ocsf, .* 1 skipped/)]);
  const [note, absent] = [file('note.txt', 'hello'), join(folder, 'absent.json')];
  const refused = await upload([note, absent, '--server', server.url]);
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toContain(`${note}: 422 `);
  expect(refused.stderr).toContain(`${absent}: ENOENT`);
  const unknown = await upload([note, '--server', server.url], { PALISADE_API_KEY: `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}` });
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining(`${note}: 401 `)]);
  const away = await upload([note, '--server', 'http://127.0.0.1:1']);
  expect([away.code, away.stderr]).toEqual([1, expect.stringContaining('http://127.0.0.1:1 cannot be reached: ')]);
});

it('takes no key as an argument, sends none in the clear to another machine, and shows none', async () => {
  const report = file('any.json', '[]');
  const wrong: [string[], Record<string, string>, RegExp][] = [
    [['--server', server.url], {}, /set PALISADE_API_KEY/],
    [['--server', 'http://palisade.example'], { PALISADE_API_KEY: key }, /needs https:\/\//],
    [['--server', 'http://127.0.0.1.example.com'], { PALISADE_API_KEY: key }, /needs https:\/\//],
    [['--server', 'ftp://127.0.0.1'], { PALISADE_API_KEY: key }, /is an address such as/],
    [['--server', 'https://user:word@palisade.example'], { PALISADE_API_KEY: key }, /without a user/],
    [['--server', server.url, '--key', key], {}, /unknown option --key; did you mean --key-file|unknown option --key/],
    [['--server', server.url, '--tenant', 'acme-prod'], { PALISADE_API_KEY: key }, /takes neither --tenant/],
    [['--server', server.url], { PALISADE_API_KEY: 'not-a-key-but-a-secret' }, /is none: keys begin with psk_/],
    [['--server', server.url, '--key-file', join(folder, 'no-key')], {}, /--key-file: ENOENT/],
  ];
  for (const [args, env, reason] of wrong) {
    const { code, stdout, stderr } = await upload([report, ...args], env);
    expect([args, code, stdout, stderr]).toEqual([args, 2, '', expect.stringMatching(reason)]);
    expect(stderr).not.toContain(key);
    expect(stderr).not.toContain('not-a-key-but-a-secret');
  }
});

it('follows no redirect, so that the key goes nowhere else', async () => {
  const seen: string[] = [];
  const listen = async (handler: Parameters<typeof createServer>[1]): Promise<[Server, string]> => {
    const made = createServer(handler!).listen(0, '127.0.0.1');
    await once(made, 'listening');
    return [made, `http://127.0.0.1:${(made.address() as { port: number }).port}`];
  };
  const [thief, elsewhere] = await listen((request, response) => {
    seen.push(String(request.headers.authorization));
    response.end('{}');
  });
  const [redirecting, address] = await listen((_request, response) => void response.writeHead(307, { location: `${elsewhere}/x` }).end());
  try {
    const { code, stderr } = await upload([file('redirected.json', '[]'), '--server', address]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`redirects to ${elsewhere}/x, which is not followed`)]);
    expect(seen).toEqual([]);
  } finally {
    thief.close();
    redirecting.close();
  }
});

it('passes on what runs in no cloud, and when it was observed', async () => {
  const image = { SchemaVersion: 2, ArtifactName: 'app:1', ArtifactType: 'container_image', Results: [] };
  const report = file('image.json', image);
  const parameters = ['--provider', 'gcp', '--observed-at', '2026-01-02T03:04:05Z', '--scan-run-id', 'pipeline-observed'];
  expect((await upload([report, '--server', server.url, ...parameters])).code).toBe(0);
  const { body } = await new Client(server.url, null, null).call('/api/v1/scan-runs/pipeline-observed', {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(body).toMatchObject({ state: 'COMPLETED', observed_at: '2026-01-02T03:04:05.000Z' });
  const wrong = await upload([report, '--server', server.url, '--provider', 'nowhere']);
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('provider')]);
});
