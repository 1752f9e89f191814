import { eventually } from '../support/receiver.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const ACCOUNT = '111122223333';
const BUCKET = 'arn:aws:s3:::patients';

const resource = (type: string, name: string, attributes: Record<string, unknown>) => ({
  ...{ mode: 'managed', type, name, provider: 'provider["registry.terraform.io/hashicorp/aws"]' },
  instances: [{ attributes }],
});
const PUBLIC = JSON.stringify({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: '*', Action: ['s3:GetObject', 's3:ListBucket'], Resource: [BUCKET, `${BUCKET}/*`] }],
});
const state = (isPublic: boolean) => ({
  ...{ version: 4, terraform_version: '1.9.0', serial: 1, lineage: 'risk' },
  resources: [
    resource('aws_s3_bucket', 'patients', { arn: BUCKET, bucket: 'patients', tags: { 'data-classification': 'phi' } }),
    resource('aws_s3_bucket', 'other', { arn: 'arn:aws:s3:::other', bucket: 'other' }),
    ...(isPublic ? [resource('aws_s3_bucket_policy', 'patients', { id: 'patients', bucket: 'patients', policy: PUBLIC })] : []),
  ],
});
const see = async (client: Client, report: object) =>
  expect(await client.import(report, { account_id: ACCOUNT })).toMatchObject({ state: 'COMPLETED' });

interface Statistics {
  mean: number;
  any_loss: number;
  standard_error: number;
}
interface Summary {
  draws: number;
  statistics: Statistics | null;
  change: number | null;
  jewels: number;
  without_figures: number;
  paths: number;
  currency: string;
  restrictedEngines: string[];
}
const summary = async (client: Client) => (await client.call<Summary>('/api/v1/risk/summary')).body;
const whatIf = (client: Client, body: object) =>
  client.call<{ paths_before: number; paths_gone: number; before: Statistics; after: Statistics; reduction: number }>(
    '/api/v1/risk/what-if',
    { body },
  );

it('what anybody reads is told in money when people have said what it costs, and what fixing it wins', async () => {
  const [tenant, other] = [await world.tenant(), await world.tenant()];
  const [admin, viewer, stranger] = [await tenant.as('tenant_admin'), await tenant.as('viewer'), await other.as('viewer')];
  expect(await summary(viewer)).toMatchObject({ draws: 0, statistics: null, paths: 0, currency: 'USD' });
  await see(admin, state(true));
  expect(await summary(viewer)).toMatchObject({
    draws: 10_000,
    statistics: { mean: 0, any_loss: 0 },
    jewels: 1,
    without_figures: 1,
    paths: 1,
  });

  const marked = await admin.call(`/api/v1/risk/crown-jewels/${encodeURIComponent(BUCKET)}`, {
    method: 'PUT',
    body: { decision: 'accepted', tier: 'critical', value: 1_000_000, reason: 'Patients' },
  });
  expect(marked.status).toBe(200);
  const told = await eventually(
    () => summary(viewer),
    ({ without_figures }) => without_figures === 0,
  );
  // one attempt a year that succeeds with 0.95, a million and the response: (20,000 + 4 × 200,000 + 1,630,000) / 6
  const expected = 0.95 * (1_000_000 + 2_450_000 / 6);
  expect(Math.abs(told.statistics!.mean - expected)).toBeLessThan(4 * told.statistics!.standard_error);
  expect(told.change).toBe(told.statistics!.mean);
  expect(Math.abs(told.statistics!.any_loss - (1 - Math.exp(-0.95)))).toBeLessThan(0.02);

  const { body: jewels } = await viewer.call<{ items: { paths: number; likelihood: number }[] }>('/api/v1/risk/crown-jewels');
  expect(jewels.items[0]).toMatchObject({ paths: 1, likelihood: told.statistics!.any_loss });
  const { body: scenarios } = await viewer.call<{ items: object[]; total: number }>('/api/v1/risk/scenarios');
  expect(scenarios).toMatchObject({
    total: 1,
    items: [
      {
        resource_uid: BUCKET,
        entry: 'internet',
        tier: 'critical',
        band: 'severe',
        has_figures: true,
        expected_loss: expect.closeTo(told.statistics!.mean, 3),
      },
    ],
  });
  const { body: breaches } = await viewer.call<{ entries: { resource_uid: string; expected: number }[] }>('/api/v1/risk/blast-radius');
  expect(breaches.entries.map(({ resource_uid }) => resource_uid)).toEqual([BUCKET]);
  expect(breaches.entries[0]!.expected).toBeGreaterThan(1_000_000);

  const fixed = await whatIf(viewer, { edges: [{ from: 'internet', to: BUCKET }] });
  expect(fixed.body).toMatchObject({
    paths_before: 1,
    paths_gone: 1,
    before: told.statistics,
    after: { mean: 0 },
    reduction: expect.closeTo(told.statistics!.mean, 3),
  });
  const nothing = await whatIf(viewer, { findings: [{ engine: 'vulnerability', finding_id: '0'.repeat(32) }] });
  expect(nothing.body).toMatchObject({ paths_gone: 0, reduction: 0 });
  for (const body of [{}, { edges: [] }, { edges: Array.from({ length: 101 }, () => ({ from: 'a', to: 'b' })) }])
    expect((await whatIf(viewer, body)).status).toBe(422);

  expect(await summary(stranger)).toMatchObject({ draws: 0, statistics: null });
  expect((await whatIf(stranger, { edges: [{ from: 'internet', to: BUCKET }] })).body).toMatchObject({ paths_before: 0, paths_gone: 0 });

  await see(admin, state(false));
  const after = await summary(viewer);
  expect(after).toMatchObject({ paths: 0, statistics: { mean: 0 }, change: expect.closeTo(-told.statistics!.mean, 3) });
  expect(after.restrictedEngines).toContain('vulnerability');
});
