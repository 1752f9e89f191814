import { jobs } from '../../kit/work/jobs.js';
import { plan } from '../support/inventories.js';
import { bucket, ocsf } from '../support/reports.js';
import { openWorld, type Client, type ImportedRun, type World } from '../support/world.js';

// it makes much work on purpose
jest.setTimeout(600_000);

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const RULES = 40;
const BUCKETS = 100;
/** Within what one evaluation may take, and slow: some 20,000 turns. */
const HEAVY = 'r.list.all(a, r.list.all(b, a + b >= 0))';
const LIST = Array.from({ length: 140 }, (_, n) => n);
const WIDE = Array.from({ length: 250 }, (_, n) => n);

const stateOf = async (client: Client, id: string) => (await client.call<ImportedRun>(`/api/v1/scan-runs/${id}`)).body.state;

async function heavyRules(admin: Client): Promise<void> {
  for (let n = 0; n < RULES; n++) {
    const body = { rule_id: `heavy-${n}`, title: `Heavy ${n}`, severity: 'low', resource_types: ['aws_s3_bucket'], expression: HEAVY };
    expect(await admin.call('/api/v1/rules/custom', { body })).toMatchObject({ status: 201 });
  }
}

/** Starts a run that is evaluated for a long time, and waits until it is on its way. */
async function startHeavyRun(analyst: Client, scanRunId: string): Promise<void> {
  const buckets = Object.fromEntries(Array.from({ length: BUCKETS }, (_, n) => [`aws_s3_bucket.b${n}`, { bucket: `b${n}`, list: LIST }]));
  const { status } = await analyst.call(`/api/v1/scans/imports?scan_run_id=${scanRunId}`, { raw: JSON.stringify(plan(buckets)) });
  expect(status).toBe(202);
  while ((await stateOf(analyst, scanRunId)) === 'QUEUED') await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('rules of one tenant that are evaluated for a long time', () => {
  it('hold up no answer to another tenant, and end when the run is cancelled', async () => {
    const noisy = await world.tenant();
    const [admin, analyst] = [await noisy.as('tenant_admin'), await noisy.as('analyst')];
    const other = await (await world.tenant()).as('analyst');
    await other.import(ocsf([{ rule: 'rule', resource: bucket('b') }]));
    await heavyRules(admin);
    await startHeavyRun(analyst, 'heavy');
    for (let n = 0; n < 15; n++) {
      expect(await other.call('/api/v1/check/findings')).toMatchObject({ status: 200, body: { total: 1 } });
      expect(await world.anonymous.call('/gateway/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
    }
    // all of that was answered while the run was evaluated
    expect(await stateOf(analyst, 'heavy')).toBe('RUNNING');
    expect(await analyst.call('/api/v1/scan-runs/heavy/cancel', { method: 'POST' })).toMatchObject({ status: 200 });
    expect(await analyst.finished('heavy')).toMatchObject({ state: 'CANCELLED' });
    const job = await world.database.tenant(noisy.tenant._id).collection(jobs).findOne({ 'payload.scan_run_id': 'heavy' });
    expect(job).toMatchObject({ attempts: 0, error: null });
    // its worker is free for the next run
    expect(await other.import(ocsf([{ rule: 'rule', resource: bucket('c') }]))).toMatchObject({ state: 'COMPLETED' });
  });

  it('hold up no answer to another tenant when they are only tried', async () => {
    const noisy = await world.tenant();
    const [admin, analyst] = [await noisy.as('tenant_admin'), await noisy.as('analyst')];
    const other = await (await world.tenant()).as('analyst');
    await other.import(ocsf([{ rule: 'rule', resource: bucket('b') }]));
    const queues = plan(Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`aws_sqs_queue.q${n}`, { list: WIDE }])));
    await analyst.call('/api/v1/scans/imports?scan_run_id=queues', { raw: JSON.stringify(queues) });
    while (['QUEUED', 'RUNNING'].includes(await stateOf(analyst, 'queues'))) await new Promise((resolve) => setTimeout(resolve, 50));
    const order: string[] = [];
    const trial = admin
      .call('/api/v1/rules/custom/validate', { body: { resource_types: ['aws_sqs_queue'], expression: HEAVY } })
      .then(({ body }) => order.push('trial') && body);
    for (let n = 0; n < 25; n++) {
      expect(await other.call('/api/v1/check/findings')).toMatchObject({ status: 200, body: { total: 1 } });
      order.push('list');
    }
    expect(await trial).toMatchObject({ valid: true, evaluated: 30 });
    expect(order.slice(0, 25)).toEqual(Array.from({ length: 25 }, () => 'list'));
  });
});
