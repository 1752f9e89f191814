import { Client, openWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const ACCOUNT = '111122223333';
const DATABASE = `arn:aws:rds:eu-west-1:${ACCOUNT}:db:orders`;
const BUCKET = 'arn:aws:s3:::patients';

const resource = (type: string, name: string, attributes: Record<string, unknown>) => ({
  ...{ mode: 'managed', type, name, provider: 'provider["registry.terraform.io/hashicorp/aws"]' },
  instances: [{ attributes }],
});
const database = (attributes: object) =>
  resource('aws_db_instance', 'orders', {
    ...{
      arn: DATABASE,
      identifier: 'orders',
      engine: 'postgres',
      engine_version: '17.2',
      tags: { environment: 'prod', application: 'shop' },
    },
    ...{
      publicly_accessible: true,
      backup_retention_period: 0,
      storage_encrypted: true,
      iam_database_authentication_enabled: true,
      ...attributes,
    },
  });
const bucket = (attributes: object) =>
  resource('aws_s3_bucket', 'patients', {
    arn: BUCKET,
    bucket: 'patients',
    tags: { 'data-class': 'x', 'data-classification': 'phi' },
    ...attributes,
  });
const state = (...resources: ReturnType<typeof resource>[]) => ({
  ...{ version: 4, terraform_version: '1.9.0', serial: 1, lineage: 'combined' },
  resources: [resource('aws_s3_bucket', 'other', { arn: 'arn:aws:s3:::other', bucket: 'other' }), ...resources],
});
/** A detection, as OCSF tells it. */
const detection = (uid: string, type: string) => [
  {
    ...{ class_uid: 2004, severity: 'Critical', status: 'New', time_dt: new Date().toISOString() },
    metadata: { event_code: 'Exfiltration:S3/AnomalousBehavior', version: '1.3.0', product: { name: 'GuardDuty', vendor_name: 'AWS' } },
    finding_info: { uid: `detection-${uid}`, title: 'Data on its way out', desc: 'Data on its way out', types: ['TTPs/Exfiltration'] },
    resources: [{ uid, name: uid, type, region: 'eu-west-1' }],
    cloud: { provider: 'aws', region: 'eu-west-1', account: { uid: ACCOUNT } },
  },
];

interface Finding {
  finding_id: string;
  rule_id: string;
  status: string;
  resource_uid: string;
}
const combined = async (client: Client): Promise<Finding[]> =>
  (await client.call<{ items: Finding[] }>('/api/v1/cnapp/findings?page_size=100&status=OPEN,RESOLVED')).body.items;
const told = async (client: Client) =>
  (await combined(client)).map(({ rule_id, status, resource_uid }) => `${rule_id} ${resource_uid.split(/[/:]/).at(-1)} ${status}`).sort();
const see = async (client: Client, report: unknown) =>
  expect(await client.import(report, { account_id: ACCOUNT })).toMatchObject({ state: 'COMPLETED' });

it('what is worse together is a finding as long as it is together', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(client, state(database({}), bucket({ acl: 'private' })));
  const lost = 'palisade-production-database-irrecoverable orders';
  const open = 'palisade-public-production-database-without-backup orders';
  expect(await told(client)).toEqual([`${lost} OPEN`, `${open} OPEN`]);
  await see(client, state(database({ backup_retention_period: 7 }), bucket({ acl: 'public-read' })));
  expect(await told(client)).toEqual(['palisade-public-sensitive-data patients OPEN', `${lost} RESOLVED`, `${open} RESOLVED`].sort());
  await see(client, state(bucket({ acl: 'private' }), database({})));
  expect(await told(client)).toEqual(['palisade-public-sensitive-data patients RESOLVED', `${lost} OPEN`, `${open} OPEN`].sort());
});

it('a report of findings alone brings combinations, a false alarm ends one, and who may not read a part sees its kind alone', async () => {
  const tenant = await world.tenant();
  const [analyst, viewer] = [await tenant.as('analyst'), await tenant.as('viewer')];
  await see(analyst, state(bucket({})));
  expect(await told(analyst)).toEqual([]);
  await see(analyst, detection(BUCKET, 'AwsS3Bucket'));
  const all = await analyst.call<{ items: (Finding & { engine: string })[] }>('/api/v1/findings?page_size=50');
  const seen = all.body.items.find(({ rule_id }) => rule_id.startsWith('Exfiltration'));
  expect(seen).toMatchObject({ resource_uid: BUCKET });
  expect(await told(analyst)).toEqual(['palisade-sensitive-data-under-attack patients OPEN']);
  const [finding] = await combined(analyst);
  type Detail = { finding: { findingData: { sources: { says: string; engine: string | null; finding_ids: string[] }[] } } };
  const detail = async (client: Client) =>
    (await client.call<Detail>(`/api/v1/views/finding/cnapp/${finding!.finding_id}`)).body.finding.findingData.sources;
  expect(await detail(analyst)).toEqual([
    { says: 'It holds sensitive data.', engine: null, resource_uids: [BUCKET], finding_ids: [] },
    { says: 'A serious detection names it.', engine: seen!.engine, resource_uids: [BUCKET], finding_ids: [seen!.finding_id] },
  ]);
  expect((await detail(viewer))[1]!.finding_ids).toEqual([seen!.finding_id]);
  const moved = await analyst.call(`/api/v1/views/finding/${seen!.engine}/${seen!.finding_id}/status`, {
    method: 'PATCH',
    body: { status: 'FALSE_POSITIVE', note: 'A test of ours' },
  });
  expect(moved.status).toBe(200);
  await see(analyst, state(bucket({ versioning: [{ enabled: true }] })));
  expect(await told(analyst)).toEqual(['palisade-sensitive-data-under-attack patients RESOLVED']);
});

it('views of engines that the caller may not read are masked, and the overview counts what each may read', async () => {
  const tenant = await world.tenant();
  const [analyst, viewer, stranger] = [await tenant.as('analyst'), await tenant.as('viewer'), await (await world.tenant()).as('analyst')];
  await see(analyst, state(database({}), bucket({ acl: 'public-read' })));
  const finding = (await combined(viewer)).find(({ rule_id }) => rule_id === 'palisade-public-production-database-without-backup')!;
  const { body } = await viewer.call<{ finding: { findingData: { sources: object[] } } }>(
    `/api/v1/views/finding/cnapp/${finding.finding_id}`,
  );
  const masked = { engine: 'dbsec', resource_uids: [], finding_ids: [], restricted: true };
  expect(body.finding.findingData.sources).toEqual([
    { says: 'It is a part of production.', engine: null, resource_uids: [DATABASE], finding_ids: [] },
    { says: 'It has a public address.', ...masked },
    { says: 'No backups of it are kept.', ...masked },
  ]);
  interface Group {
    value: string | null;
    assets: number;
    data: { critical: number };
    combinations: { critical: number };
  }
  const overview = async (client: Client, query = '') =>
    (await client.call<Group & { items: Group[]; total: number; restrictedEngines: string[] }>(`/api/v1/cnapp/overview${query}`)).body;
  const whole = await overview(analyst);
  expect(whole.items.map(({ value }) => value).sort()).toEqual([null, 'shop'].sort());
  expect(whole.data.critical).toBeGreaterThan(0);
  expect(whole.combinations.critical).toBe(2);
  const seen = await overview(viewer);
  expect(seen.data).toEqual({ critical: 0, high: 0, medium: 0, low: 0, info: 0 });
  expect(seen.combinations).toEqual(whole.combinations);
  expect(seen.restrictedEngines).toContain('datasec');
  expect((await overview(analyst, '?by=account')).items.map(({ value }) => value)).toEqual([ACCOUNT]);
  expect(await overview(analyst, '?by=namespace')).toMatchObject({ items: [], total: 0 });
  expect(await overview(stranger)).toMatchObject({ items: [], total: 0, counted_at: null });
  expect((await viewer.call('/api/v1/cnapp/overview?page_size=201')).status).toBe(400);
});

it('what a key has imported that may read nothing leaves combinations as they are', async () => {
  const tenant = await world.tenant();
  const analyst = await tenant.as('analyst');
  await see(analyst, state(database({}), bucket({ acl: 'public-read' })));
  await see(analyst, detection(BUCKET, 'AwsS3Bucket'));
  const before = await told(analyst);
  // one of them rests on a finding, which the key may not read
  expect(before).toContain('palisade-sensitive-data-under-attack patients OPEN');
  expect(before).toHaveLength(4);
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const made = await (
    await tenant.as('tenant_admin')
  ).call<{ key: string }>('/api/v1/api-keys', { body: { name: 'pipeline', permissions: ['scans:create', 'scans:read'], expires_at } });
  const again = state(database({}), bucket({ acl: 'public-read', versioning: [{ enabled: true }] }));
  const headers = { authorization: `Bearer ${made.body.key}` };
  const pipeline = new Client(world.url, null, null);
  const started = await pipeline.call(`/api/v1/scans/imports?account_id=${ACCOUNT}&scan_run_id=by-key`, {
    raw: JSON.stringify(again),
    headers,
  });
  expect(started.status).toBe(202);
  expect(await analyst.finished('by-key')).toMatchObject({ state: 'COMPLETED' });
  expect(await told(analyst)).toEqual(before);
});
