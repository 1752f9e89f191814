import { openWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const BUCKET = 'arn:aws:s3:::patients';
const resource = (type: string, name: string, attributes: Record<string, unknown>) => ({
  ...{ mode: 'managed', type, name, provider: 'provider["registry.terraform.io/hashicorp/aws"]' },
  instances: [{ attributes }],
});
const state = {
  ...{ version: 4, terraform_version: '1.9.0', serial: 1, lineage: 'context' },
  resources: [
    resource('aws_s3_bucket', 'patients', {
      ...{ arn: BUCKET, id: 'patients', bucket: 'patients', acl: 'public-read' },
      tags: { 'data-classification': 'health', owner: 'clinic' },
    }),
    resource('aws_s3_bucket_logging', 'patients', { id: 'patients-log', bucket: 'patients', target_bucket: 'logs' }),
    resource('aws_s3_bucket', 'logs', { arn: 'arn:aws:s3:::logs', id: 'logs', bucket: 'logs' }),
  ],
};
const path = `/api/v1/asset-context/${encodeURIComponent(BUCKET)}`;

it('what all engines know of a resource stands in one answer, and only for its tenant', async () => {
  const tenant = await world.tenant();
  const client = await tenant.as('analyst');
  expect(await client.import(state, {})).toMatchObject({ state: 'COMPLETED' });
  const { status, body } = await client.call<Record<string, never>>(path);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    ...{ resource_uid: BUCKET, provider: 'aws', owner: { owner: 'clinic' }, gone_at: null },
    paths: { available: true, total: 1, items: [{ entry: 'internet', target: BUCKET, severity: 'critical' }] },
    data: { available: true, data_classes: ['health'], item: { kind: 'object', public: true } },
    identity: { available: true, item: null },
    exposure: { available: true },
    degradedEngines: [],
    restrictedEngines: [],
  });
  const { findings, related_assets, compliance } = body as unknown as {
    findings: { engine: string; total: number; critical: number; high: number; medium: number; low: number; info: number }[];
    related_assets: { items: { resource_uid: string }[] };
    compliance: { available: boolean; controlMappings: { framework: string }[] };
  };
  expect(findings.map(({ engine }) => engine)).toContain('datasec');
  for (const { total, critical, high, medium, low, info } of findings) expect(critical + high + medium + low + info).toBe(total);
  expect(related_assets.items.length).toBeGreaterThan(0);
  expect(compliance.available).toBe(true);
  expect(compliance.controlMappings.length).toBeGreaterThan(0);
  const stranger = await (await world.tenant()).as('analyst');
  const [foreign, absent] = await Promise.all([stranger.call(path), stranger.call('/api/v1/asset-context/none')]);
  expect([foreign.status, absent.status]).toEqual([404, 404]);
});
