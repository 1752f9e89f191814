import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { callOf, emptyFor, proofOf, type Call } from '../../console/reference/call.js';
import { limitsOf, operationsOf, typeOf, type OpenApi } from '../../console/reference/document.js';
import { searchOperations } from '../../console/reference/search.js';
import { LANGUAGES } from '../../console/reference/snippets.js';
import { LONG } from '../support/chromium.js';
import { needing } from '../support/shared.js';

const document = JSON.parse(readFileSync('schema/openapi.json', 'utf8')) as OpenApi;
const operations = operationsOf(document);
const named = (id: string) => operations.find(({ operationId }) => operationId === id)!;

describe('the endpoints of the document', () => {
  it('are all there, with what they refer to', () => {
    const count = Object.values(document.paths).flatMap((methods) => Object.keys(methods)).length;
    expect([operations.length, new Set(operations.map(({ operationId }) => operationId)).size]).toEqual([count, count]);
    for (const { operationId, parameters, answers } of operations) {
      for (const parameter of parameters) expect([operationId, typeof parameter.name]).toEqual([operationId, 'string']);
      for (const { status, answer } of answers) expect([operationId, status, answer === undefined]).toEqual([operationId, status, false]);
    }
  });

  it('tell types and limits in one line', () => {
    expect(typeOf({ type: 'array', items: { $ref: '#/components/schemas/Severity' } })).toBe('Severity[]');
    expect(typeOf({ anyOf: [{ $ref: '#/components/schemas/Asset' }, { type: 'null' }] })).toBe('Asset or null');
    expect(limitsOf({ type: 'integer', default: 50, minimum: 1, maximum: 200 })).toBe('default 50; from 1 to 200');
  });

  it.each([
    ['api keys', 'create_api_key'],
    ['siem', 'siem_export'],
    ['POST imports', 'import_report'],
    ['known_exploited', 'findings'],
    ['FINDINGS', 'findings'],
  ])('are found by %j', (text, id) => {
    const found = searchOperations(operations, text).map(({ operationId }) => operationId);
    expect(found).toContain(id);
    expect(found.length).toBeLessThan(operations.length / 2);
  });

  it('are found by every word, and those first that have it in their address', () => {
    expect(searchOperations(operations, 'nothing-has-this')).toEqual([]);
    expect(searchOperations(operations, 'choke points')[0]!.path).toMatch(/choke-points/);
  });

  it('make the call that was filled in', () => {
    expect(callOf(named('findings'), { values: { severity: 'critical,high', q: "it's", engine: '' }, type: null, body: null })).toEqual({
      method: 'GET',
      path: '/api/v1/findings?severity=critical,high&q=it%27s',
      headers: {},
      body: null,
    });
    const change = named('update_finding_status') ?? operations.find(({ path }) => path.endsWith('{id}/status'))!;
    expect(callOf(change, { ...emptyFor(change), values: { engine: 'check', id: 'a/b', 'If-Match': '"3"' } })).toMatchObject({
      path: '/api/v1/views/finding/check/a%2Fb/status',
      headers: { 'If-Match': '"3"', 'Content-Type': 'application/json' },
    });
    expect(callOf(change, emptyFor(change)).path).toContain('{engine}');
  });

  it('say who calls', () => {
    expect(['findings', 'create_api_key', 'login'].map((id) => proofOf(named(id)))).toEqual(['api_key', 'access_token', null]);
  });
});

describe('a snippet', () => {
  const HOSTILE = `it's "$HOME" \`id\` \\n %s {0} é 😀`;
  const SENT: Call = {
    method: 'POST',
    path: `/api/v1/some?${new URLSearchParams({ q: HOSTILE }).toString()}`,
    headers: { 'Content-Type': 'application/json', 'If-Match': '"3"' },
    body: JSON.stringify({ note: HOSTILE, lines: 'one\ntwo\u2028' }, null, 2),
  };
  const RUNS: Readonly<Record<string, { program: string; file: string; args: (file: string) => string[] }>> = {
    curl: { program: 'sh', file: 'call.sh', args: (file) => [file] },
    TypeScript: { program: process.execPath, file: 'call.mjs', args: (file) => [file] },
    Python: { program: 'python3', file: 'call.py', args: (file) => [file] },
    Go: { program: 'go', file: 'call.go', args: (file) => ['run', file] },
  };
  const isThere = (program: string): boolean =>
    spawnSync(program, [program === 'go' ? 'version' : '-c', 'exit'], { stdio: 'ignore' }).error === undefined;

  let server: Server;
  let folder: string;
  const seen: { method?: string; url?: string; headers: Record<string, unknown>; body: string }[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'snippets-'));
    server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        seen.push({ method: request.method, url: request.url, headers: request.headers, body: Buffer.concat(parts).toString() });
        response.end('what was answered');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  for (const { name, write } of LANGUAGES) {
    const { program, file, args } = RUNS[name]!;
    needing(isThere(program) || undefined).it(
      `of ${name} sends exactly what was filled in, whatever stands in it`,
      async () => {
        const path = join(folder, file);
        const { port } = server.address() as { port: number };
        writeFileSync(path, write(SENT, `http://127.0.0.1:${port}`, 'api_key'));
        const env = { ...process.env, PALISADE_API_KEY: 'psk_secret', GO111MODULE: 'off' };
        const { stdout } = await promisify(execFile)(program, args(path), { env });
        expect(stdout).toContain('what was answered');
        const { method, url, headers, body } = seen.at(-1)!;
        expect({ method, path: url, body }).toEqual({ method: SENT.method, path: SENT.path, body: SENT.body });
        expect(headers).toMatchObject({ authorization: 'Bearer psk_secret', 'content-type': 'application/json', 'if-match': '"3"' });
      },
      LONG,
    );
  }

  it('holds no secret, and none of who calls where nobody has to', () => {
    const call: Call = { method: 'GET', path: '/gateway/health', headers: {}, body: null };
    for (const { write } of LANGUAGES) expect(write(call, 'https://palisade.example', null)).not.toMatch(/authorization|cookie|PALISADE_/i);
  });
});
