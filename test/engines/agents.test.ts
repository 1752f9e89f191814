import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enroll, report } from '../../cli/agent-client.js';
import { agentEnrollmentTokens } from '../../subgraphs/agent/hosts/records.js';
import { tokenRowId } from '../../subgraphs/agent/hosts/token.js';
import { enrollAgent, enrollment, makeToken, reportHeaders, sendReport, type TestAgent } from '../support/agents.js';
import { openWorld, type Client, type World } from '../support/world.js';

const LYNIS = readFileSync(join(__dirname, '../importers/fixtures/lynis/report.dat'), 'utf8');
const HOST = /^hostname=(.+)$/m.exec(LYNIS)![1]!;

interface Hosts {
  items: { agent_id: string; hostname: string; health: string; last_scan_run_id: string | null; enrolled_by: string }[];
  total: number;
}

let world: World;
let admin: Client;
let agent: TestAgent;
beforeAll(async () => {
  world = await openWorld();
  admin = await (await world.tenant()).as('org_admin');
  agent = await enrollAgent(admin, HOST);
});
afterAll(() => world.close());

/** The fixture's report under another id: a comment tells them apart. */
const lynisOf = (n: number): string => LYNIS.replace('\n', `\n# ${n}\n`);
const run = async (id: string, client = admin) => {
  const { state } = await client.finished(id);
  return { state, ...(await client.call<{ trigger: string; format: string; total_findings: number }>(`/api/v1/scan-runs/${id}`)).body };
};

it('takes a report of an enrolled host in as a run of the trigger agent, once, however often it is sent', async () => {
  const send = () => sendReport(world.anonymous, LYNIS, reportHeaders(agent, LYNIS, { report_id: 'first' }));
  const first = await send();
  expect([first.status, first.body]).toMatchObject([202, { report_id: 'first' }]);
  // the limits of the agent, not those of its address
  expect(first.headers.get('x-ratelimit-limit')).toBe('20');
  const { scan_run_id } = first.body;
  expect(await run(scan_run_id)).toMatchObject({ state: 'COMPLETED', trigger: 'agent', format: 'lynis' });
  const findings = (await admin.call<{ total: number }>('/api/v1/agent/findings')).body.total;
  expect(findings).toBeGreaterThan(0);

  await new Promise((resolve) => setTimeout(resolve, 2));
  const again = await send();
  expect([again.status, again.body.scan_run_id, again.body.state]).toEqual([202, scan_run_id, 'COMPLETED']);
  const { body } = await admin.call<Hosts>('/api/v1/agent/hosts');
  expect(body.items).toMatchObject([{ agent_id: agent.agent_id, hostname: HOST, health: 'healthy', last_scan_run_id: scan_run_id }]);
});

it('refuses a replay, a stale time, another body, another key and other bytes under the same id, and starts no run', async () => {
  const before = (await admin.call<{ total: number }>('/api/v1/scan-runs')).body.total;
  const text = lynisOf(1);
  const own = reportHeaders(agent, text, { report_id: 'refused' });
  const stranger = { ...agent, privateKey: enrollment('x', HOST).privateKey };
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
  const answers = [
    await sendReport(world.anonymous, text, reportHeaders(agent, text, { report_id: 'refused', time: hourAgo })),
    await sendReport(world.anonymous, text, reportHeaders(stranger, text, { report_id: 'refused' })),
    await sendReport(world.anonymous, text, { ...own, 'palisade-report': 'another-id' }),
    await sendReport(world.anonymous, `${text}#`, own),
    await sendReport(world.anonymous, text, { ...own, 'palisade-agent': `${agent.tenant_id}/agt_absentabsentabse` }),
    await sendReport(world.anonymous, text, { ...own, 'palisade-sha256': 'none' }),
    await sendReport(world.anonymous, text, reportHeaders(agent, text, { report_id: 'first' })),
  ];
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 422, 409]);
  expect((await admin.call<{ total: number }>('/api/v1/scan-runs')).body.total).toBe(before);

  const taken = await sendReport(world.anonymous, text, own);
  const replayed = await sendReport(world.anonymous, text, own);
  expect([taken.status, replayed.status]).toEqual([202, 401]);
});

it('refuses a report of another host, and knows one with its domain', async () => {
  const text = lynisOf(2).replace(/^hostname=.*$/m, 'hostname=elsewhere');
  const other = await sendReport(world.anonymous, text, reportHeaders(agent, text, { report_id: 'elsewhere' }));
  expect([other.status, other.text.includes('elsewhere')]).toEqual([422, true]);
  const domain = await enrollAgent(admin, `${HOST}.corp.example`);
  const own = lynisOf(3);
  expect((await sendReport(world.anonymous, own, reportHeaders(domain, own, { report_id: 'own' }))).status).toBe(202);
});

it('enrolls by a token once, by one of two at the same time, and only who holds the key', async () => {
  const token = await makeToken(admin);
  const [one, other] = [enrollment(token, 'one.example'), enrollment(token, 'other.example')];
  const foreign = await world.anonymous.call('/api/agent/enroll', { body: { ...one.body, proof: other.body.proof } });
  expect(foreign.status).toBe(422);
  const statuses = await Promise.all(
    [one, other].map(async ({ body }) => (await world.anonymous.call('/api/agent/enroll', { body })).status),
  );
  expect(statuses.sort()).toEqual([201, 401]);
  expect((await world.anonymous.call('/api/agent/enroll', { body: enrollment('pet_none', 'x.example').body })).status).toBe(401);
});

it('refuses a token that is over, and one under the name of another tenant, as one that never was', async () => {
  const status = async (token: string) =>
    (await world.anonymous.call('/api/agent/enroll', { body: enrollment(token, 'late.example').body })).status;
  const [over, own] = [await makeToken(admin), await makeToken(admin)];
  const other = await world.tenant();
  const named = (tenantId: string) => own.replace(/^pet_[^.]+/, `pet_${Buffer.from(tenantId).toString('base64url')}`);
  const tokens = world.database.tenant(agent.tenant_id).collection(agentEnrollmentTokens);
  await tokens.update({ _id: tokenRowId(agent.tenant_id, over) }, { $set: { expires_at: new Date(Date.now() - 1) } });
  expect([await status(over), await status(named(other.tenant._id)), await status(named('nobody'))]).toEqual([401, 401, 401]);
  expect(await status(own)).toBe(201);
});

it('refuses an agent from the moment on at which it is removed', async () => {
  const gone = await enrollAgent(admin, 'gone.example');
  const removed = await admin.call(`/api/v1/agent/hosts/${gone.agent_id}`, { method: 'DELETE' });
  const again = await admin.call(`/api/v1/agent/hosts/${gone.agent_id}`, { method: 'DELETE' });
  const text = lynisOf(4);
  const sent = await sendReport(world.anonymous, text, reportHeaders(gone, text, { report_id: 'late' }));
  expect([removed.status, again.status, sent.status]).toEqual([204, 404, 401]);
});

it('is driven by the shell: the key stays in a file that nobody else reads, and a file is sent once', async () => {
  const state = mkdtempSync(join(tmpdir(), 'palisade-agent-'));
  expect(await enroll(state, world.url, await makeToken(admin), HOST)).toContain('is enrolled as agt_');
  expect(statSync(join(state, 'agent-key.pem')).mode & 0o077).toBe(0);
  await expect(enroll(state, world.url, 'x', HOST)).rejects.toThrow('enrolled already');
  const file = join(state, 'report.dat');
  writeFileSync(file, lynisOf(5));
  const [first, second] = [await report(state, file, '', undefined), await report(state, file, 'lynis', undefined)];
  const idOf = (line: string) => line.split(' ')[1];
  expect(idOf(second)).toBe(idOf(first));
  writeFileSync(file, lynisOf(6).replace(/^hostname=.*$/m, 'hostname=elsewhere'));
  await expect(report(state, file, '', undefined)).rejects.toThrow('the report is of the host elsewhere');
});

it('judges a registered technology as a discovered one, and replaces it when it is registered again', async () => {
  const body = {
    product: 'postgres',
    version: '12.4',
    kind: 'database',
    host: 'DB.example',
    port: 5432,
    provider: 'aws',
    agent_id: agent.agent_id,
  };
  const made = await admin.call<Record<string, unknown>>('/api/v1/technology/targets', { body });
  expect([made.status, made.body]).toMatchObject([
    201,
    {
      product: 'postgres',
      version: '12.4',
      host: 'db.example',
      port: 5432,
      managed: false,
      end_of_life: expect.stringMatching(/^20/) as string,
    },
  ]);
  await admin.call('/api/v1/technology/targets', { body: { ...body, version: '16.1' } });
  const { body: listed } = await admin.call<{ items: Record<string, unknown>[] }>('/api/v1/technology/targets?product=postgres');
  expect(listed.items).toMatchObject([{ version: '16.1', resource_uid: 'technology/db.example/postgres/5432' }]);
  const refused = await Promise.all(
    [
      { ...body, host: '' },
      { ...body, agent_id: 'agt_none' },
      { ...body, port: 0 },
    ].map(async (wrong) => (await admin.call('/api/v1/technology/targets', { body: wrong })).status),
  );
  expect(refused).toEqual([422, 422, 422]);
});
