import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bucket, ocsf } from '../support/reports.js';
import { runCommand, startProcess, type TestProcess } from '../support/process.js';
import { Client, openWorld, type World } from '../support/world.js';

// Gateway, engines and worker as the compose file runs them: separate processes over one store.
const LONG = 600_000;

let world: World;
let gateway: TestProcess;
let engines: TestProcess;
let worker: TestProcess;
let env: Record<string, string>;

beforeAll(async () => {
  const database = `${process.env['PALISADE_TEST_DB']}_processes`;
  world = await openWorld(database);
  env = {
    MONGODB_URI: process.env['PALISADE_TEST_MONGODB_URI']!,
    MONGODB_DB: database,
    PALISADE_SECRET: process.env['PALISADE_TEST_SECRET']!,
    OBJECT_DIR: mkdtempSync(join(tmpdir(), 'palisade-processes-')),
    LOG_LEVEL: 'silent',
  };
  engines = await startProcess(['engines'], env);
  [gateway, worker] = await Promise.all([
    startProcess(['gateway'], { ...env, ENGINES_URL: engines.url }),
    startProcess(['worker'], { ...env, WORKER_HEALTH_PORT: '0' }),
  ]);
}, LONG);
afterAll(async () => {
  await Promise.all([gateway?.end('SIGTERM'), worker?.end('SIGTERM')]);
  await engines?.end('SIGTERM');
  await world.close();
}, LONG);

/** A store of its own, which can be taken away. */
async function startStore(): Promise<{ uri: string; end: () => Promise<unknown> }> {
  const child = spawn(process.execPath, [join(__dirname, '../../dist/embedded/serve.js')], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const uri = await new Promise<string>((resolve) =>
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [found] = /mongodb:\/\/\S+/.exec(line) ?? [];
      if (found) resolve(found);
    }),
  );
  return { uri, end: () => (child.kill('SIGKILL'), ended) };
}

const at = (client: Client, url: string) => new Client(url, client.cookie, client.user);

describe('separate processes', () => {
  it('import, list, show and triage as one process does', async () => {
    const client = at(await (await world.tenant()).as('analyst'), gateway.url);
    const run = await client.import(ocsf([{ rule: 'rule_a', resource: bucket('a') }]));
    expect(run).toMatchObject({ state: 'COMPLETED', counts: { new: 1 } });
    const { body } = await client.call<{ items: { finding_id: string }[]; total: number }>('/api/v1/check/findings');
    expect(body.total).toBe(1);
    const path = `/api/v1/views/finding/check/${body.items[0]!.finding_id}`;
    expect((await client.call(path)).body).toMatchObject({
      finding: { ruleId: 'rule_a' },
      degradedEngines: [],
      relatedFindings: { available: true },
    });
    expect((await client.call(`${path}/status`, { method: 'PATCH', body: { status: 'RESOLVED' } })).body).toMatchObject({
      status: 'RESOLVED',
      version: 2,
    });
    expect((await client.graphql('{ assets { items { resource_uid check_findings { status rule { title } } } } }')).data).toMatchObject({
      assets: { items: [{ resource_uid: bucket('a'), check_findings: [{ status: 'RESOLVED', rule: { title: 'Title of rule_a' } }] }] },
    });
  });

  it('have their audit log checked by a command beside them, while they write', async () => {
    const { tenant, as } = await world.tenant();
    const client = at(await as('analyst'), gateway.url);
    const names = Array.from({ length: 100 }, (_, n) => ({ rule: `rule_${n}`, resource: bucket(`b${n}`) }));
    const writing = Promise.all([1, 2, 3].map((n) => client.import(ocsf(names), { scan_run_id: `run-${n}` })));
    const { code, stdout, stderr } = await runCommand(['audit', 'verify', '--tenant', tenant._id], env);
    expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+ entries of \S+ hold\n$/) as string });
    expect((await writing).map(({ state }) => state)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED']);
  });

  it('answer with 403 and 404 across the wire as within one process', async () => {
    const { as } = await world.tenant();
    const viewer = at(await as('viewer'), gateway.url);
    const refused = await viewer.call('/api/v1/vulnerability/findings');
    expect({ status: refused.status, body: refused.body }).toMatchObject({
      status: 403,
      body: { error_code: 'FORBIDDEN', message: 'Missing permission: vulnerability:read' },
    });
    expect((await viewer.call('/api/v1/views/finding/check/none')).status).toBe(404);
    expect((await viewer.call('/api/v1/check/findings?page_size=201')).status).toBe(400);
  });

  it('tell of all engines at /gateway/health and /gateway/services', async () => {
    const { body } = await new Client(gateway.url, null, null).call<{ status: string; engines: Record<string, { status: string }> }>(
      '/gateway/health',
    );
    expect(body.status).toBe('ok');
    expect(Object.values(body.engines).every(({ status }) => status === 'ok')).toBe(true);
  });

  it.each([
    ['no context', {}],
    ['a context that nobody signed', { 'x-auth-context': 'eyJhbGciOiJub25lIn0.eyJ0ZW5hbnRfaWQiOiJ0In0.' }],
  ])('let nobody in at the engines with %s', async (_case, headers) => {
    const { status } = await new Client(engines.url, null, null).call('/engines/check/graphql', {
      body: { query: '{ check_findings { total } }' },
      headers: headers as Record<string, string>,
    });
    expect(status).toBe(401);
  });

  it('name the engines as degraded, and answer 503, while they are away', async () => {
    const lone = await startProcess(['engines'], env);
    const second = await startProcess(['gateway'], { ...env, ENGINES_URL: lone.url });
    const client = at(await (await world.tenant()).as('analyst'), second.url);
    expect((await client.call('/api/v1/check/findings')).status).toBe(200);
    await lone.end('SIGKILL');
    const { status, body } = await client.call('/api/v1/check/findings');
    expect({ status, body }).toMatchObject({ status: 503, body: { error_code: 'UPSTREAM_UNAVAILABLE', degraded_engines: ['check'] } });
    expect((await client.call('/gateway/health')).body).toMatchObject({ status: 'degraded', engines: { check: { status: 'down' } } });
    const ready = await client.call('/gateway/health/ready');
    expect([ready.status, ready.body]).toMatchObject([
      503,
      { status: 'unavailable', store: { status: 'ok' }, engines: { check: { status: 'down' } } },
    ]);
    const live = await client.call('/gateway/health/live');
    expect([live.status, live.body]).toEqual([200, { status: 'ok' }]);
    expect(Number(live.headers.get('x-ratelimit-limit'))).toBeGreaterThan(0);
    await second.end('SIGTERM');
  });

  it.each([
    ['gateway', () => gateway.url, '/gateway/health'],
    ['worker', () => worker.url, ''],
  ])('say that the %s is live and ready', async (_name, url, prefix) => {
    const client = new Client(url(), null, null);
    for (const path of ['/live', '/ready']) expect((await client.call(`${prefix}${path}`)).body).toMatchObject({ status: 'ok' });
    expect((await client.call('/other')).status).toBe(404);
  });

  it(
    'are live and not ready while the store is away',
    async () => {
      const store = await startStore();
      const own = { ...env, MONGODB_URI: store.uri, MONGODB_DB: 'away' };
      const [all, lone] = await Promise.all([
        startProcess(['all', '--empty'], own),
        startProcess(['worker'], { ...own, WORKER_HEALTH_PORT: '0' }),
      ]);
      try {
        await store.end();
        for (const [url, prefix] of [
          [all.url, '/gateway/health'],
          [lone.url, ''],
        ] as const) {
          const client = new Client(url, null, null);
          expect((await client.call(`${prefix}/live`)).status).toBe(200);
          const ready = await client.call(`${prefix}/ready`);
          expect([ready.status, ready.body]).toMatchObject([503, { status: 'unavailable', store: { status: 'down' } }]);
        }
      } finally {
        await Promise.all([all.end('SIGKILL'), lone.end('SIGKILL')]);
      }
    },
    LONG,
  );

  it('refuse to start without a shared store and secret', async () => {
    await expect(startProcess(['engines'], { MONGODB_URI: '', PALISADE_SECRET: '' })).rejects.toThrow(/MONGODB_URI and PALISADE_SECRET/);
  });
});
