import { eventually } from '../support/receiver.js';
import { bucket, ocsf } from '../support/reports.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const BUCKET = bucket('patients');
const ACCOUNT = '111122223333';
/** A Terraform state of a bucket with data of patients, which makes it a crown jewel. */
const estateOf = (settings: object) => ({
  ...{ version: 4, terraform_version: '1.9.0', serial: 1, lineage: 'estate' },
  resources: [
    {
      ...{ mode: 'managed', type: 'aws_s3_bucket', name: 'patients', provider: 'provider["registry.terraform.io/hashicorp/aws"]' },
      instances: [{ attributes: { arn: BUCKET, bucket: 'patients', tags: { 'data-classification': 'phi' }, ...settings } }],
    },
  ],
});
const ESTATE = estateOf({});
interface Listed {
  items: { finding_id: string; status: string; resource_uid: string }[];
  total: number;
}
const take = async (client: Client, report: unknown) =>
  expect(await client.import(report, { account_id: ACCOUNT })).toMatchObject({ state: 'COMPLETED' });
/** A scanner says whether anybody may read the bucket. */
const scan = (client: Client, isPublic: boolean) =>
  take(client, ocsf([{ rule: 's3_bucket_public_access', resource: BUCKET, status: isPublic ? 'FAIL' : 'PASS' }]));
const paths = async (client: Client) => (await client.call<Listed>('/api/v1/attack-paths')).body;
const findings = async (client: Client) =>
  (await client.call<Listed>('/api/v1/attack-path/findings?status=OPEN,RESOLVED')).body.items.map(
    ({ status, resource_uid }) => `${status} ${resource_uid}`,
  );

it('a path is a finding for as long as it leads to a jewel: mended it is resolved, broken again or back as a jewel it is there again', async () => {
  const tenant = await world.tenant();
  const [client, admin] = [await tenant.as('analyst'), await tenant.as('tenant_admin')];
  const stands = async (total: number, ...found: string[]) =>
    expect([(await paths(client)).total, await findings(client)]).toEqual([total, found]);
  await take(client, ESTATE);
  await stands(0);
  await scan(client, true);
  await stands(1, `OPEN ${BUCKET}`);
  await scan(client, false);
  await stands(0, `RESOLVED ${BUCKET}`);
  await scan(client, true);
  await stands(1, `OPEN ${BUCKET}`);

  const decide = (decision: string) =>
    admin.call(`/api/v1/risk/crown-jewels/${encodeURIComponent(BUCKET)}`, { method: 'PUT', body: { decision, reason: 'Looked at' } });
  // the estate has nothing to be after any more
  expect((await decide('refused')).status).toBe(200);
  await eventually(
    () => findings(client),
    ([only]) => only === `RESOLVED ${BUCKET}`,
  );
  expect((await paths(client)).total).toBe(0);
  expect((await decide('accepted')).status).toBe(200);
  await eventually(
    () => findings(client),
    ([only]) => only === `OPEN ${BUCKET}`,
  );
});

it('a bucket that its own configuration opens to anybody is a path, and the setting that a scanner names is told as its cause', async () => {
  const client = await (await world.tenant()).as('analyst');
  const causes = async () => {
    const { items } = (await client.call<{ items: { path_id: string }[] }>('/api/v1/attack-paths')).body;
    const details = await Promise.all(
      items.map(({ path_id }) =>
        client.call<{ steps: { conditions: { text: string; engine: string }[] }[] }>(`/api/v1/attack-paths/${encodeURIComponent(path_id)}`),
      ),
    );
    return details.flatMap(({ body }) => body.steps.flatMap(({ conditions }) => conditions.map(({ text }) => text)));
  };
  await take(client, estateOf({ acl: 'public-read' }));
  expect(await causes()).toEqual(['Anybody may read it (palisade-sensitive-store-public)']);
  await scan(client, true);
  expect(await causes()).toEqual(['Anybody may read it (s3_bucket_public_access)']);
  await take(client, estateOf({ acl: 'private' }));
  await scan(client, false);
  expect(await causes()).toEqual([]);
});

it('a path of another tenant is none of the own', async () => {
  const [own, other] = [await (await world.tenant()).as('analyst'), await (await world.tenant()).as('analyst')];
  await take(other, ESTATE);
  await scan(other, true);
  await take(own, ESTATE);
  expect([(await paths(own)).total, (await paths(other)).total]).toEqual([0, 1]);
});
