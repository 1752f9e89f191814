import { openWorld, type Client, type World } from '../support/world.js';
import { contextOfTags, effectiveContext } from '../../subgraphs/di/business/context.js';
import { USUAL_TAGS } from '../../kit/engine/business-tags.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const arn = (name: string) => `arn:aws:s3:::${name}`;
const pathOf = (name: string) => `/api/v1/inventory/asset/${encodeURIComponent(arn(name))}`;

interface Context {
  owner: string | null;
  environment: string | null;
  criticality: string | null;
  data_classes: string[];
  set_by: string | null;
}
interface Assets {
  items: { resource_uid: string; business_context: Context }[];
  total: number;
}

/** A Terraform state of buckets with tags. */
const state = (buckets: Record<string, Record<string, string>>) => ({
  version: 4,
  terraform_version: '1.9.0',
  serial: 1,
  lineage: 'buckets',
  resources: Object.entries(buckets).map(([name, tags]) => ({
    mode: 'managed',
    type: 'aws_s3_bucket',
    name,
    provider: 'provider["registry.terraform.io/hashicorp/aws"]',
    instances: [{ attributes: { arn: arn(name), bucket: name, tags } }],
  })),
});
const see = async (client: Client, buckets: Record<string, Record<string, string>>) =>
  expect(await client.import(state(buckets))).toMatchObject({ state: 'COMPLETED' });
const contextOf = async (client: Client, name: string) =>
  (await client.call<{ business_context: Context }>(pathOf(name))).body.business_context;
const listed = async (client: Client, query: string) => {
  const { body } = await client.call<Assets>(`/api/v1/inventory/assets?${query}`);
  expect(body.total).toBe(body.items.length);
  return body.items.map(({ resource_uid }) => resource_uid.split(':').at(-1)).sort();
};
const put = (client: Client, name: string, body: object) =>
  client.call<Context>(`${pathOf(name)}/business-context`, { method: 'PUT', body });

const BUCKETS = {
  ledger: { Team: 'payments', env: 'PRD', Criticality: 'critical', 'data-classification': 'PII, payment' },
  logs: { owner: 'platform', environment: 'dev' },
  plain: {},
};

it('tags tell it, in the words that people use, and lists are filtered by it', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(client, BUCKETS);
  expect(await contextOf(client, 'ledger')).toEqual({
    owner: 'payments',
    environment: 'production',
    criticality: 'critical',
    data_classes: ['payment', 'pii'],
    set_by: null,
    set_at: null,
  });
  expect(await contextOf(client, 'plain')).toMatchObject({ owner: null, environment: null, criticality: null, data_classes: [] });
  expect(await listed(client, 'owner=payments')).toEqual(['ledger']);
  expect(await listed(client, 'environment=production,development')).toEqual(['ledger', 'logs']);
  expect(await listed(client, 'criticality=low')).toEqual([]);
  expect(await listed(client, 'tag=Team')).toEqual(['ledger']);
  expect(await listed(client, 'tag=owner%3Dplatform&provider=aws')).toEqual(['logs']);
  expect(await listed(client, 'tag=owner%3Dpayments')).toEqual([]);
});

it('what a person sets goes before the tags, part by part, survives later runs, and is audited', async () => {
  const tenant = await world.tenant();
  const [admin, analyst] = [await tenant.as('tenant_admin'), await tenant.as('analyst')];
  await see(analyst, BUCKETS);
  expect((await put(analyst, 'ledger', { owner: 'me' })).status).toBe(403);
  const set = await put(admin, 'ledger', { owner: 'treasury', data_classes: ['PCI', 'pci'] });
  expect([set.status, set.body]).toMatchObject([200, { owner: 'treasury', environment: 'production', data_classes: ['pci'] }]);
  await see(analyst, { ledger: { Team: 'others', env: 'test' } });
  const later = await contextOf(analyst, 'ledger');
  expect(later).toMatchObject({ owner: 'treasury', environment: 'test', criticality: null, data_classes: ['pci'] });
  expect(later.set_by).toContain('@');
  expect(await listed(analyst, 'owner=treasury')).toEqual(['ledger']);
  const { body } = await admin.call<{ items: { target: string; detail: object }[] }>('/api/v1/audit-logs?action=asset.classify');
  expect(body.items).toMatchObject([{ target: `asset:${arn('ledger')}`, detail: { owner: 'treasury', data_classes: ['pci'] } }]);
  await put(admin, 'ledger', {});
  expect(await contextOf(analyst, 'ledger')).toMatchObject({ owner: 'others', data_classes: [], set_by: null, set_at: null });
});

it("goes by the tenant's own tags from the next run on", async () => {
  const tenant = await world.tenant();
  const [admin, analyst] = [await tenant.as('tenant_admin'), await tenant.as('analyst')];
  const settings = { settings: { business_tags: { owner: ['squad'] } } };
  const changed = await admin.call(`/api/v1/tenants/${tenant.tenant.tenant_id}`, { method: 'PATCH', body: settings });
  expect([changed.status, changed.body]).toMatchObject([
    200,
    { settings: { business_tags: { owner: ['squad'], environment: ['environment', 'env', 'stage'] } } },
  ]);
  await see(analyst, { ledger: { team: 'payments', Squad: 'blue', env: 'live' } });
  expect(await contextOf(analyst, 'ledger')).toMatchObject({ owner: 'blue', environment: 'production' });
  const refused = await admin.call(`/api/v1/tenants/${tenant.tenant.tenant_id}`, {
    method: 'PATCH',
    body: { settings: { business_tags: { ownr: ['x'] } } },
  });
  expect(refused.status).toBe(422);
});

it('refuses words that it does not know, and assets of others as if they were none', async () => {
  const tenant = await world.tenant();
  const [admin, analyst] = [await tenant.as('tenant_admin'), await tenant.as('analyst')];
  await see(analyst, BUCKETS);
  for (const body of [{ environment: 'moon' }, { criticality: 'worst' }, { unknown: 1 }, { data_classes: ['x'.repeat(51)] }])
    expect([400, 422]).toContain((await put(admin, 'ledger', body)).status);
  const stranger = await (await world.tenant()).as('tenant_admin');
  expect((await put(stranger, 'ledger', { owner: 'mine' })).status).toBe(404);
  expect(await contextOf(analyst, 'ledger')).toMatchObject({ owner: 'payments' });
});

it('two who set it at once leave one of both, and a run beside them loses neither', async () => {
  const tenant = await world.tenant();
  const [admin, analyst] = [await tenant.as('tenant_admin'), await tenant.as('analyst')];
  await see(analyst, BUCKETS);
  const answers = await Promise.all([
    ...['one', 'two', 'three'].map(async (owner) => (await put(admin, 'logs', { owner })).status),
    see(analyst, BUCKETS).then(() => 200),
  ]);
  expect(answers).toEqual([200, 200, 200, 200]);
  const { owner } = await contextOf(analyst, 'logs');
  expect(['one', 'two', 'three']).toContain(owner);
  expect(await listed(analyst, `owner=${owner}`)).toEqual(['logs']);
});

it('takes tags of any size and kind', () => {
  const tags = { owner: `${'🪣'.repeat(300)}`, environment: 7, criticality: ['high'], 'data-class': ` ,;${'x'.repeat(60)};A|a b ` };
  const context = contextOfTags(tags as never, USUAL_TAGS);
  expect(context).toMatchObject({ environment: null, criticality: null, data_classes: ['a', 'b'] });
  expect(context.owner!.length).toBeLessThanOrEqual(200);
  expect(effectiveContext({ data_classes: [] }, context, ['c', 'b']).data_classes).toEqual(['a', 'b', 'c']);
});

/** A finding of Macie as Security Hub writes it, of a bucket and the object in it. */
const macie = (bucket: string, kind: string) => ({
  Findings: [
    {
      ...{ SchemaVersion: '2018-10-08', Id: `arn:aws:macie2:eu-west-1:111122223333:finding/${bucket}-${kind}`, GeneratorId: 'aws/macie' },
      ...{
        ProductName: 'Macie',
        AwsAccountId: '111122223333',
        Types: [`Sensitive Data Identifications/PII/SensitiveData:S3Object-${kind}`],
      },
      ...{ Title: 'The S3 object contains sensitive data.', Severity: { Label: 'HIGH' }, RecordState: 'ACTIVE' },
      Resources: [
        { Type: 'AwsS3Bucket', Id: arn(bucket), Region: 'eu-west-1' },
        { Type: 'AwsS3Object', Id: `${arn(bucket)}/people.csv`, Region: 'eu-west-1' },
      ],
    },
  ],
});

it('classes of data that a scanner has found come to those of the tags, and reach the stores; a person has the last word', async () => {
  const client = await (await world.tenant()).as('tenant_admin');
  const stores = async () =>
    Object.fromEntries(
      (await client.call<{ items: { resource_uid: string; data_classes: string[] }[] }>('/api/v1/data-security/stores')).body.items.map(
        ({ resource_uid, data_classes }) => [resource_uid, data_classes],
      ),
    );
  await see(client, BUCKETS);
  await client.import(macie('ledger', 'Credentials'));
  await client.import(macie('unknown', 'Personal'));
  const told = { [arn('ledger')]: ['credentials', 'payment', 'pii'], [arn('unknown')]: ['personal'], [arn('plain')]: [] };
  expect(await stores()).toMatchObject(told);
  // an inventory that comes later keeps what was found
  await see(client, { ...BUCKETS, ledger: { ...BUCKETS.ledger, 'data-classification': 'payment' } });
  expect(await stores()).toMatchObject({ ...told, [arn('ledger')]: ['credentials', 'payment'] });
  await put(client, 'ledger', { data_classes: ['public'] });
  expect(await stores()).toMatchObject({ [arn('ledger')]: ['public'] });
  await put(client, 'ledger', {});
  expect(await stores()).toMatchObject({ [arn('ledger')]: ['credentials', 'payment'] });
});
