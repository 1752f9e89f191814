import type { FastifyInstance } from 'fastify';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { as, countingLimiter, createTestApp } from './support-app.js';
import { createGraph } from '../../gateway/graph/graph.js';
import { failedResult } from '../../http/engine-errors.js';
import type { EngineCaller } from '../../kit/engine/caller.js';
import { PalisadeError } from '../../kit/base/errors.js';
import { createLogger } from '../../kit/base/logger.js';
import { calls, engines, plainCaller } from './support-engines.js';

const MIB = 1_048_576;
const URL_PATH = '/api/v1/scans/imports';

let app: FastifyInstance;
let stored: () => Promise<string[]>;
beforeEach(async () => {
  ({ app, stored } = await createTestApp());
  await app.listen({ port: 0, host: '127.0.0.1' });
  calls.length = 0;
});
afterEach(() => app.close());

interface Sent {
  status: number;
  body: Record<string, unknown>;
}

/** Sends over a real socket; `body` may be a stream. */
function send(body: string | Buffer | Readable, headers: Record<string, string> = {}, query = ''): Promise<Sent> {
  const { port } = app.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const call = httpRequest(
      { port, host: '127.0.0.1', method: 'POST', path: URL_PATH + query, headers: { ...as('analyst'), ...headers } },
      (answer: IncomingMessage) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        answer.on('end', () => {
          // Node's client stops sending once it has an answer, and would hold the connection until the server's patience ends.
          if (!call.writableFinished) call.destroy();
          resolve({ status: answer.statusCode!, body: JSON.parse(text) as Record<string, unknown> });
        });
      },
    );
    call.on('error', reject);
    if (body instanceof Readable) body.pipe(call);
    else call.end(body);
  });
}

const nothingStays = async () => expect(await stored()).toEqual([]);
const bytes = (size: number): Readable =>
  Readable.from(
    (function* () {
      const chunk = Buffer.alloc(65_536, 'x');
      for (let left = size; left > 0; left -= chunk.length) yield left < chunk.length ? chunk.subarray(0, left) : chunk;
    })(),
  );

function form(parts: readonly [head: string, body: string | Buffer][], end = '--X--\r\n'): [Buffer, Record<string, string>] {
  const whole = parts.flatMap(([head, body]) => [
    Buffer.from(`--X\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
    Buffer.from(body),
    Buffer.from('\r\n'),
  ]);
  return [Buffer.concat([...whole, Buffer.from(end)]), { 'content-type': 'multipart/form-data; boundary=X' }];
}
const FILE = 'name="report"; filename="r.json"\r\nContent-Type: application/json';

describe('a raw body', () => {
  test.each([
    { 'content-type': 'application/json' },
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/xml; charset=utf-8' },
    { 'content-type': 'application/x-ndjson' },
    {},
  ])('with %j is staged', async (headers) => {
    const answer = await send('{"a":1}', headers as Record<string, string>, '?scan_run_id=run-1&format=trivy&limit=3');
    expect(answer.status).toBe(202);
    expect(answer.body).toMatchObject({ scan_run_id: 'run-1' });
    expect(calls.at(-1)!.args).toEqual({ upload_id: answer.body.upload_id, scan_run_id: 'run-1', format: 'trivy', limit: 3 });
    const [file] = await stored();
    expect(await readFile(file!, 'utf8')).toBe('{"a":1}');
    expect(file).toContain(answer.body.upload_id);
  });

  test('compressed is stored decompressed', async () => {
    const report = JSON.stringify({ a: Array.from({ length: 10_000 }, (_, index) => index) });
    expect((await send(gzipSync(report), { 'content-encoding': 'gzip', 'content-type': 'application/json' })).status).toBe(202);
    expect(await readFile((await stored())[0]!, 'utf8')).toBe(report);
  });

  test.each([
    ['', {}],
    ['', { 'content-encoding': 'gzip' }],
    [gzipSync(''), { 'content-encoding': 'gzip' }],
  ])('that is empty is a 422 (%#)', async (body, headers) => {
    const answer = await send(body, headers as Record<string, string>);
    expect(answer).toMatchObject({
      status: 422,
      body: { page: 'scans', error_code: 'VALIDATION_ERROR', detail: [{ path: '', message: 'is empty' }] },
    });
    await nothingStays();
    expect(calls).toEqual([]);
  });

  test.each([
    Buffer.from('not gzip at all'),
    gzipSync('x'.repeat(100_000)).subarray(0, 60),
    Buffer.concat([gzipSync('abc').subarray(0, 12), Buffer.alloc(50, 7)]),
  ])('that is damaged gzip is a 400 (%#)', async (body) => {
    expect(await send(body, { 'content-encoding': 'gzip' })).toMatchObject({
      status: 400,
      body: { error_code: 'BAD_REQUEST', message: 'The body is not valid gzip' },
    });
    await nothingStays();
  });

  test.each(['br', 'zstd', 'deflate', 'gzip, gzip'])('in the encoding %s is a 415', async (encoding) => {
    expect(await send('x', { 'content-encoding': encoding })).toMatchObject({
      status: 415,
      body: { error_code: 'UNSUPPORTED_MEDIA_TYPE' },
    });
    await nothingStays();
  });
});

describe('the size limit of 32 MiB', () => {
  test('holds for a body that says its length, before it is read', async () => {
    // it stops after its first bytes and waits for the answer
    const begun = Readable.from(
      (async function* () {
        yield Buffer.alloc(1_024, 'x');
        await new Promise<never>(() => undefined);
      })(),
    );
    expect(await send(begun, { 'content-length': String(40 * MIB) })).toMatchObject({
      status: 413,
      body: { error_code: 'PAYLOAD_TOO_LARGE' },
    });
    await nothingStays();
  });
  test('holds for a body that does not, and its sender reads the answer', async () => {
    expect(await send(bytes(60 * MIB), { 'transfer-encoding': 'chunked' })).toMatchObject({
      status: 413,
      body: { error_code: 'PAYLOAD_TOO_LARGE' },
    });
    await nothingStays();
  });
  test('holds after decompression', async () => {
    const half = Buffer.from(Array.from({ length: 400_000 }, (_, index) => createHash('md5').update(String(index)).digest('hex')).join(''));
    expect(await send(gzipSync(Buffer.concat([half, half, half])), { 'content-encoding': 'gzip' })).toMatchObject({
      status: 413,
      body: { detail: { max_bytes: 32 * MIB } },
    });
    await nothingStays();
  });
  test('a gzip bomb ends where it grows too fast, not at the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(31 * MIB));
    expect(await send(bomb, { 'content-encoding': 'gzip' })).toMatchObject({
      status: 413,
      body: { message: expect.stringContaining('250 times') },
    });
    await nothingStays();
  });
  test('a body just within it passes', async () => {
    expect((await send(bytes(32 * MIB))).status).toBe(202);
  });
});

describe('a multipart form', () => {
  test.each([
    [
      'before',
      [
        ['name="scan_run_id"', 'run-2'],
        ['name="limit"', '5'],
        [FILE, '{"a":1}'],
      ],
    ],
    [
      'after',
      [
        [FILE, '{"a":1}'],
        ['name="scan_run_id"', 'run-2'],
        ['name="limit"', '5'],
      ],
    ],
  ] as [string, [string, string][]][])('carries fields %s the file', async (_where, parts) => {
    const answer = await send(...form(parts), '?format=trivy');
    expect(answer).toMatchObject({ status: 202, body: { scan_run_id: 'run-2' } });
    expect(calls.at(-1)!.args).toMatchObject({ scan_run_id: 'run-2', limit: 5, format: 'trivy' });
    expect(await readFile((await stored())[0]!, 'utf8')).toBe('{"a":1}');
  });

  test('may be compressed as a whole', async () => {
    const [body, headers] = form([[FILE, 'x'.repeat(100_000)]]);
    expect((await send(gzipSync(body), { ...headers, 'content-encoding': 'gzip' })).status).toBe(202);
    expect((await readFile((await stored())[0]!)).length).toBe(100_000);
  });

  test.each<[string, [string, string][], { path: string; message?: unknown }]>([
    ['no file', [['name="format"', 'trivy']], { path: 'report', message: 'is required' }],
    ['an empty file', [[FILE, '']], { path: 'report', message: 'is empty' }],
    [
      'an unknown field',
      [
        [FILE, 'x'],
        ['name="tenant_id"', 't2'],
      ],
      { path: 'tenant_id' },
    ],
    [
      'a prototype',
      [
        [FILE, 'x'],
        ['name="__proto__"', 't2'],
      ],
      { path: '__proto__' },
    ],
    [
      'a field of the wrong type',
      [
        [FILE, 'x'],
        ['name="limit"', 'many'],
      ],
      { path: 'limit' },
    ],
    [
      'a repeated field',
      [
        [FILE, 'x'],
        ['name="limit"', '1'],
        ['name="limit"', '2'],
      ],
      { path: 'limit' },
    ],
    [
      'two files',
      [
        [FILE, 'x'],
        [FILE, 'y'],
      ],
      { path: 'report', message: 'only one file is taken' },
    ],
    [
      'a file under another name',
      [
        ['name="file"; filename="a"', 'x'],
        [FILE, 'y'],
      ],
      { path: 'file' },
    ],
    [
      'a field that the query has too',
      [
        [FILE, 'x'],
        ['name="format"', 'grype'],
      ],
      { path: 'format' },
    ],
    [
      'a huge field',
      [
        [FILE, 'x'],
        ['name="scan_run_id"', 'y'.repeat(9_000)],
      ],
      { path: 'scan_run_id' },
    ],
    ['too many fields', [[FILE, 'x'], ...Array.from({ length: 30 }, () => ['name="limit"', '1'] as [string, string])], { path: '' }],
  ])('with %s is a 422', async (_name, parts, violation) => {
    expect(await send(...form(parts), '?format=trivy')).toMatchObject({
      status: 422,
      body: { error_code: 'VALIDATION_ERROR', detail: [violation] },
    });
    await nothingStays();
    expect(calls).toEqual([]);
  });

  test.each([
    [form([[FILE, 'x'.repeat(200_000)]], '')],
    [form([[FILE, 'x']], '--X')],
    [[Buffer.from('garbage'), { 'content-type': 'multipart/form-data; boundary=X' }] as const],
    [[Buffer.from('--X--\r\n'), { 'content-type': 'multipart/form-data; charset=x' }] as const],
  ])('that is damaged is refused and leaves nothing (%#)', async ([body, headers]) => {
    const answer = await send(body, headers as Record<string, string>);
    expect(answer.status === 400 || answer.status === 422).toBe(true);
    await nothingStays();
  });

  test('whose file is too large is a 413', async () => {
    expect(await send(...form([[FILE, Buffer.alloc(33 * MIB)]]))).toMatchObject({ status: 413 });
    await nothingStays();
  });
});

describe('before the body is read', () => {
  /** A body whose end never comes: an answer shows that nobody waited for it. */
  const endless = () => {
    const body = new Readable({ read: () => undefined });
    body.push('{"a":');
    return body;
  };
  test.each<[number, Record<string, string>, string]>([
    [401, { 'x-test-role': '' }, ''],
    [403, as('viewer'), ''],
    [400, {}, '?nope=1'],
    [400, {}, '?limit=x'],
    [415, { 'content-encoding': 'br' }, ''],
  ])('%d with %j %s', async (status, headers, query) => {
    if (status === 401) {
      const { port } = app.server.address() as AddressInfo;
      const answer = await fetch(`http://127.0.0.1:${port}${URL_PATH}`, { method: 'POST', body: 'x' });
      expect(answer.status).toBe(401);
    } else {
      expect((await send(endless(), headers, query)).status).toBe(status);
    }
    await nothingStays();
  });

  test('429', async () => {
    await app.close();
    ({ app, stored } = await createTestApp({ rateLimiter: countingLimiter(0).limiter }));
    await app.listen({ port: 0, host: '127.0.0.1' });
    expect((await send(endless())).status).toBe(429);
    await nothingStays();
  });
});

test('an operation that fails takes its upload with it', async () => {
  expect(await send('{"a":1}', {}, '?scan_run_id=taken')).toMatchObject({ status: 409, body: { message: 'The run is taken' } });
  await nothingStays();
});

test.each(['UPSTREAM_UNAVAILABLE', 'INTERNAL'] as const)('an engine that answers %s may hold the upload still: it stays', async (code) => {
  await app.close();
  const late: EngineCaller = {
    engines: plainCaller().engines,
    // the engine goes on with what it was given, and nobody knows how far it came
    call: async () => failedResult(new PalisadeError(code, 'late')) as never,
  };
  ({ app, stored } = await createTestApp({ graph: await createGraph({ engines, caller: late, logger: createLogger('silent') }) }));
  await app.listen({ port: 0, host: '127.0.0.1' });
  expect((await send('{"a":1}')).status).toBe(code === 'INTERNAL' ? 500 : 503);
  expect(await readFile((await stored())[0]!, 'utf8')).toBe('{"a":1}');
});

test.each([{}, { 'content-encoding': 'gzip' }, { 'content-type': 'multipart/form-data; boundary=X' }])(
  'a client that goes away with %j leaves nothing behind',
  async (headers) => {
    const { port } = app.server.address() as AddressInfo;
    const call = httpRequest({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: URL_PATH,
      headers: { ...as('analyst'), ...(headers as Record<string, string>) },
    });
    call.on('error', () => undefined);
    const start =
      'content-encoding' in headers
        ? gzipSync(Buffer.from(Array.from({ length: 50_000 }, (_, index) => `${index * 7919}`).join())).subarray(0, 100_000)
        : `--X\r\nContent-Disposition: form-data; ${FILE}\r\n\r\n${'x'.repeat(300_000)}`;
    call.write(start);
    for (let tries = 0; tries < 100 && (await stored()).length === 0; tries += 1) await sleep(10);
    expect(await stored()).toHaveLength(1);
    call.destroy();
    for (let tries = 0; tries < 200 && (await stored()).length > 0; tries += 1) await sleep(10);
    await nothingStays();
    expect(calls).toEqual([]);
    expect((await send('still alive')).status).toBe(202);
  },
);

test('200 MB stream through flat memory', async () => {
  await app.close();
  ({ app, stored } = await createTestApp({ config: { MAX_IMPORT_MB: 512, ENGINE_TIMEOUT_MS: 10_000 } }));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const before = process.memoryUsage();
  let peak = 0;
  const watch = setInterval(() => {
    const { arrayBuffers, heapUsed } = process.memoryUsage();
    peak = Math.max(peak, arrayBuffers + heapUsed);
  }, 5);
  expect((await send(bytes(200 * MIB))).status).toBe(202);
  clearInterval(watch);
  expect(peak - before.arrayBuffers - before.heapUsed).toBeLessThan(100 * MIB);
});
