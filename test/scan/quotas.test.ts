import { loadConfig } from '../../kit/base/config.js';
import { allowancesOf, PLAN_ALLOWANCES } from '../../kit/base/quotas.js';
import { plan, planned } from '../support/inventories.js';
import { findings, results } from '../support/posture.js';
import { bucket, ocsf } from '../support/reports.js';
import { openOwnWorld, type OwnWorld } from '../support/own-world.js';
import { type Client, type ImportedRun } from '../support/world.js';

const QUOTAS = [
  'growth.findings=5',
  'growth.assets=7',
  'growth.custom_rules=2',
  'growth.upload_mib_per_day=1',
  'growth.evaluation_steps=20000',
  'growth.trial_steps=2000',
].join(',');

// it starts servers and threads of its own
jest.setTimeout(600_000);

let world: OwnWorld;
beforeAll(async () => {
  world = await openOwnWorld({ env: { QUOTAS, WORKER_CONCURRENCY: '4' } });
});
afterAll(() => world.close());

const analyst = async () => (await world.tenant()).as('analyst');
const report = (...names: string[]) => ocsf(names.map((name) => ({ rule: 'rule', resource: bucket(name) })));
const refused = (allowance: string, allowed: number, used: number) => ({
  status: 422,
  body: { error_code: 'VALIDATION_ERROR', detail: [{ plan: 'growth', allowance, allowed, used }] },
});
const upload = (client: Client, raw: string, id = 'run') => client.call(`/api/v1/scans/imports?scan_run_id=${id}`, { raw });
const names = async (client: Client) => (await findings(client)).map(({ resource_uid }) => resource_uid.split(':').at(-1)!).sort();

describe('findings that the plan has no room for', () => {
  it('are left out, the run says so, and closes nothing', async () => {
    const client = await analyst();
    expect(await client.import(report('a', 'b', 'c'))).toMatchObject({ state: 'COMPLETED', counts: { new: 3 } });
    const run = await client.import(report('c', 'd', 'e', 'f', 'g'));
    expect(run).toMatchObject({ state: 'PARTIAL', counts: { new: 2, updated: 1, resolved: 0 }, total_findings: 3 });
    expect(run.errors).toEqual([{ position: 'run', reason: 'the plan growth allows 5 stored findings: 2 new ones were left out' }]);
    expect(await names(client)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect((await findings(client, 'status=OPEN')).length).toBe(5);
  });

  it('are refused with what is allowed once there is room for none', async () => {
    const client = await analyst();
    await client.import(report('a', 'b', 'c', 'd', 'e'));
    expect(await upload(client, JSON.stringify(report('f')), 'late')).toMatchObject(refused('findings', 5, 5));
    expect((await client.call('/api/v1/scan-runs/late')).status).toBe(404);
    // another tenant has its own
    expect(await (await analyst()).import(report('a'))).toMatchObject({ state: 'COMPLETED' });
  });
});

describe('assets that the plan has no room for', () => {
  const seen = (...names: string[]) => ocsf(names.map((name) => ({ rule: 'rule', resource: bucket(name), status: 'PASS' })));
  const total = async (client: Client) => (await client.call<{ total: number }>('/api/v1/inventory/assets')).body.total;

  it('are left out, and known ones are updated', async () => {
    const client = await analyst();
    await client.import(seen('a', 'b', 'c', 'd'));
    const run = await client.import(seen('d', 'e', 'f', 'g', 'h', 'i'));
    expect(run).toMatchObject({ state: 'PARTIAL', counts: { records: 6, skipped: 0 } });
    expect(run.errors).toEqual([{ position: 'run', reason: 'the plan growth allows 7 stored assets: 2 new ones were left out' }]);
    expect(await total(client)).toBe(7);
    expect(await upload(client, JSON.stringify(seen('a')), 'late')).toMatchObject(refused('assets', 7, 7));
  });
});

it('reports of a day are refused once they are more than is allowed, and a repeated call is none', async () => {
  const client = await analyst();
  const large = JSON.stringify(report('a')) + ' '.repeat(700_000);
  expect(await upload(client, large, 'first')).toMatchObject({ status: 202 });
  await client.finished('first');
  expect(await upload(client, large, 'first')).toMatchObject({ status: 202 });
  expect(await upload(client, large, 'second')).toMatchObject(refused('upload_mib_per_day', 1, 0.67));
  expect((await client.call('/api/v1/scan-runs/second')).status).toBe(404);
  expect(await upload(client, JSON.stringify(report('b')), 'third')).toMatchObject({ status: 202 });
});

const HEAVY = 'r.list.all(a, r.list.all(b, a + b >= 0))';
const LIST = Array.from({ length: 20 }, (_, n) => n);
const rule = (n: number, expression = HEAVY) => ({
  rule_id: `own-${n}`,
  title: `Own ${n}`,
  severity: 'low',
  resource_types: ['aws_sqs_queue'],
  expression: `${expression} && "${n}" != ""`,
});

it('rules of one’s own are refused once there are as many as allowed', async () => {
  const admin = await (await world.tenant()).as('tenant_admin');
  const create = (n: number) => admin.call('/api/v1/rules/custom', { body: rule(n) });
  expect((await create(1)).status).toBe(201);
  expect((await create(2)).status).toBe(201);
  expect(await create(3)).toMatchObject(refused('custom_rules', 2, 2));
  await admin.call('/api/v1/rules/custom/custom.own-1', { method: 'DELETE' });
  expect((await create(3)).status).toBe(201);
});

/** Waits for the run for as long as the test may take. */
async function ended(client: Client): Promise<void> {
  for (let state = 'QUEUED'; state === 'QUEUED' || state === 'RUNNING'; await new Promise((resolve) => setTimeout(resolve, 50)))
    state = (await client.call<ImportedRun>('/api/v1/scan-runs/run')).body.state;
}

describe('the budget of evaluation steps', () => {
  const queues = plan(Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`aws_sqs_queue.q${n}`, { name: `q${n}`, list: LIST }])));
  const evaluated = async (runs: number): Promise<string[]> => {
    const tenants = await Promise.all(Array.from({ length: runs }, () => world.tenant()));
    const clients = await Promise.all(tenants.map(({ as }) => as('analyst')));
    for (const { as } of tenants) {
      const admin = await as('tenant_admin');
      for (const n of [1, 2]) expect((await admin.call('/api/v1/rules/custom', { body: rule(n) })).status).toBe(201);
    }
    await Promise.all(clients.map((client) => upload(client, JSON.stringify(queues))));
    for (const client of clients) await ended(client);
    return Promise.all(
      clients.map(async (client) => {
        const said = await Promise.all([1, 2].map(async (n) => (await results(client, `custom.own-${n}`)).items));
        return said
          .flat()
          .map(({ rule_id, resource_uid, result, reason }) => `${rule_id} ${resource_uid} ${result} ${reason ?? ''}`)
          .sort()
          .join('\n');
      }),
    );
  };

  it('ends at the same rule of the same resource, however many runs go on beside it', async () => {
    const [alone] = await evaluated(1);
    const lines = alone!.split('\n');
    const spent = lines.filter((line) => line.includes(' NOT_EVALUATED the budget of 20000 evaluation steps'));
    const passed = lines.filter((line) => line.includes(' PASS '));
    expect([lines.length, spent.length + passed.length]).toEqual([10, 10]);
    expect(spent.length).toBeGreaterThan(0);
    expect(passed.length).toBeGreaterThan(0);
    expect(await evaluated(4)).toEqual([alone, alone, alone, alone]);
  });

  it('opens and closes nothing where it is spent', async () => {
    const { as } = await world.tenant();
    const [admin, client] = [await as('tenant_admin'), await as('analyst')];
    const cheap = { ...rule(1), expression: 'r.fine == true' };
    await admin.call('/api/v1/rules/custom', { body: cheap });
    const one = (fine: boolean) => plan({ 'aws_sqs_queue.q': { name: 'q', fine, list: LIST, kms_master_key_id: 'a', policy: '{}' } });
    await client.import(one(false));
    const [opened] = await findings(client, 'rule_id=custom.own-1');
    expect(opened).toMatchObject({ status: 'OPEN', resource_uid: planned('aws_sqs_queue.q') });
    const costly = { expression: `r.list.all(a, r.list.all(b, r.list.all(c, a + b + c >= 0))) && ${cheap.expression}` };
    expect((await admin.call('/api/v1/rules/custom/custom.own-1', { method: 'PATCH', body: costly })).status).toBe(200);
    const stays = async (fine: boolean): Promise<ImportedRun> => client.import(one(fine));
    await stays(true);
    expect((await results(client, 'custom.own-1')).items).toMatchObject([{ result: 'NOT_EVALUATED' }]);
    expect(await findings(client, 'rule_id=custom.own-1')).toMatchObject([{ status: 'OPEN', finding_id: opened!.finding_id }]);
  });

  it('is smaller for a trial, which says where it was spent', async () => {
    const { as } = await world.tenant();
    const client = await as('analyst');
    await client.import(queues);
    const { status, body } = await (await as('tenant_admin')).call('/api/v1/rules/custom/validate', { body: rule(1) });
    expect(status).toBe(200);
    expect(body).toMatchObject({ valid: true, passed: 0 });
    expect(body['samples']).toMatchObject([
      { result: 'NOT_EVALUATED', reason: expect.stringContaining('2000 evaluation steps') },
      {},
      {},
      {},
      {},
    ]);
  });
});

describe('QUOTAS', () => {
  it('changes what it names, of the plans that it names', () => {
    const config = loadConfig({ QUOTAS: 'starter.findings=7,enterprise.assets=8' });
    expect(allowancesOf(config, 'starter')).toEqual({ ...PLAN_ALLOWANCES.starter, findings: 7 });
    expect(allowancesOf(config, 'growth')).toEqual(PLAN_ALLOWANCES.growth);
    expect(allowancesOf(config, 'enterprise')).toEqual({ ...PLAN_ALLOWANCES.enterprise, assets: 8 });
  });

  it.each(['starter=5', 'starter.finding=5', 'small.findings=5', 'starter.findings=-1', 'starter.findings=5,'])(
    'does not take %s',
    (text) => {
      expect(() => loadConfig({ QUOTAS: text })).toThrow('QUOTAS: must be a list of PLAN.ALLOWANCE=NUMBER');
    },
  );
});
