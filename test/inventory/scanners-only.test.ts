import { fixture } from '../importers/fixtures.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const ACCOUNT = '111122223333';
const BUCKET = 'arn:aws:s3:::logs';
const DATABASE = `arn:aws:rds:eu-west-1:${ACCOUNT}:db:orders`;
const MACHINE = `arn:aws:ec2:eu-west-1:${ACCOUNT}:instance/i-1`;

/** A finding as Prowler writes it. */
const found = (event_code: string, status_code: 'FAIL' | 'PASS', uid: string, type: string, severity = 'High') => ({
  ...{ class_uid: 2004, status_code, severity, status: 'New', time_dt: '2026-01-01T12:00:00Z' },
  metadata: { event_code, version: '1.4.0', product: { name: 'Prowler', vendor_name: 'Prowler', version: '5.14.0' } },
  finding_info: { title: event_code, desc: event_code, uid: `prowler-${event_code}-${uid}` },
  cloud: { provider: 'aws', region: 'eu-west-1', account: { uid: ACCOUNT } },
  resources: [{ uid, name: uid.split(/[/:]/).at(-1), type, region: 'eu-west-1', cloud_partition: 'aws' }],
});

const prowler = (bucket: 'FAIL' | 'PASS') => [
  found('s3_bucket_public_access', bucket, BUCKET, 'AwsS3Bucket'),
  found('s3_bucket_object_versioning', 'PASS', BUCKET, 'AwsS3Bucket'),
  found('rds_instance_no_public_access', 'FAIL', DATABASE, 'AwsRdsDbInstance'),
  found('rds_instance_storage_encrypted', 'FAIL', DATABASE, 'AwsRdsDbInstance'),
  found('kms_cmk_rotation_enabled', 'FAIL', `arn:aws:kms:eu-west-1:${ACCOUNT}:key/k-1`, 'AwsKmsKey'),
  found('iam_user_administrator_access_policy', 'FAIL', `arn:aws:iam::${ACCOUNT}:user/ann`, 'AwsIamUser'),
  found('iam_user_mfa_enabled_console_access', 'FAIL', `arn:aws:iam::${ACCOUNT}:user/ann`, 'AwsIamUser'),
  found('ec2_instance_port_ssh_exposed_to_internet', 'FAIL', MACHINE, 'AwsEc2Instance', 'Critical'),
];

const itemsOf = async (client: Client, path: string) =>
  (await client.call<{ items: Record<string, unknown>[] }>(`/api/v1${path}`)).body.items;

it('reports of Prowler and Trivy alone fill the lists of identities, stores, databases, keys, machines, images and exposures', async () => {
  const client = await (await world.tenant()).as('org_admin');
  expect(await client.import(prowler('FAIL'), { format: 'ocsf' })).toMatchObject({ state: 'COMPLETED' });
  expect(await client.import(JSON.parse(fixture('trivy', 'image.json').toString()), { format: 'trivy' })).toMatchObject({
    state: 'COMPLETED',
  });
  expect(await itemsOf(client, '/data-security/stores?public=true')).toMatchObject([
    { resource_uid: BUCKET, kind: 'object', versioned: true },
  ]);
  expect(await itemsOf(client, '/database-security/instances')).toMatchObject([
    { resource_uid: DATABASE, public: true, encrypted: false, exposure: 'public' },
  ]);
  expect(await itemsOf(client, '/encryption/keys')).toMatchObject([{ kind: 'kms_key', rotates: false }]);
  expect(await itemsOf(client, '/iam-security/identities')).toMatchObject([{ kind: 'user', admin: true, mfa: false, console: true }]);
  expect(await itemsOf(client, '/container-security/images')).toHaveLength(1);
  expect(await itemsOf(client, '/network-security/exposures')).toMatchObject([
    {
      resource_uid: MACHINE,
      exposure: 'public',
      ports: [{ protocol: 'tcp', from: 22, to: 22 }],
      path: [{ kind: 'scanner', outcome: 'allowed' }],
    },
    { resource_uid: DATABASE, exposure: 'public', ports: [] },
  ]);

  // an older report changes nothing, a later one does
  await client.import(prowler('PASS'), { format: 'ocsf', observed_at: '2020-01-01T00:00:00Z' });
  expect(await itemsOf(client, '/data-security/stores?public=true')).toHaveLength(1);
  await client.import(prowler('PASS'), { format: 'ocsf' });
  expect(await itemsOf(client, '/data-security/stores?public=false')).toMatchObject([{ resource_uid: BUCKET, versioned: true }]);
});
