import { eventually } from '../support/receiver.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

const PATH = '/api/v1/settings/posture';
const RULE = 'aws.s3.bucket.public_access_block_companion';

let world: World;
let tenant: TestTenant;
let admin: Client;
beforeAll(async () => {
  world = await openWorld();
  tenant = await world.tenant();
  admin = await tenant.as('tenant_admin');
});
afterAll(() => world.close());

interface Settings {
  rule_profile: { rules: number; disabled_rules: string[]; adjusted: number };
  default_provider: string | null;
  tag_mapping: Record<string, string[]>;
  runbook_template: string | null;
  reclassification_job: string | null;
}
const put = (body: Record<string, unknown>, as = admin) => as.call<Settings>(PATH, { method: 'PUT', body });
const read = async (): Promise<Settings> => (await admin.call<Settings>(PATH)).body;

it('settings of the posture are those of the tenant and of its rules, whichever way they are changed', async () => {
  const before = await read();
  expect(before).toMatchObject({ rule_profile: { disabled_rules: [], adjusted: 0 }, runbook_template: null, reclassification_job: null });
  expect(before.rule_profile.rules).toBeGreaterThan(1_000);
  const changed = await put({ disabled_rules: [RULE], default_provider: 'gcp', runbook_template: 'https://runbooks.example/{rule_id}' });
  expect(changed.status).toBe(200);
  expect(changed.body).toEqual(await read());
  expect(changed.body).toMatchObject({ rule_profile: { disabled_rules: [RULE] }, default_provider: 'gcp' });
  const path = `/api/v1/tenants/${tenant.tenant._id}`;
  const own = (await admin.call<{ settings: Record<string, unknown> }>(path)).body.settings;
  expect(own).toMatchObject({ default_provider: 'gcp', runbook_url_template: 'https://runbooks.example/{rule_id}' });
  await admin.call(path, { method: 'PATCH', body: { settings: { default_provider: 'aws' } } });
  await admin.call(`/api/v1/rules/${RULE}/settings`, { method: 'PUT', body: { enabled: true, severity: 'low' } });
  expect(await read()).toMatchObject({ rule_profile: { disabled_rules: [], adjusted: 1 }, default_provider: 'aws' });
  // a rule that is switched off and on keeps its severity
  await put({ disabled_rules: [RULE] });
  expect((await put({ disabled_rules: [] })).body.rule_profile).toMatchObject({ disabled_rules: [], adjusted: 1 });
});

it('stored resources are brought to tags that are mapped anew', async () => {
  const attributes = { arn: 'arn:aws:s3:::tagged', bucket: 'tagged', tags: { squad: 'payments' } };
  const resource = { mode: 'managed', type: 'aws_s3_bucket', name: 'tagged', provider: 'provider["registry.terraform.io/hashicorp/aws"]' };
  const resources = [{ ...resource, instances: [{ attributes }] }];
  await admin.import({ version: 4, terraform_version: '1.9.0', serial: 1, lineage: 'l', resources }, { artifact: 'a' });
  const owners = async () => (await admin.call<{ total: number }>('/api/v1/inventory/assets?owner=payments')).body.total;
  expect(await owners()).toBe(0);
  const { body } = await put({ tag_mapping: { owner: ['squad'] } });
  expect(body.tag_mapping).toMatchObject({ owner: ['squad'], environment: ['environment', 'env', 'stage'] });
  const job = () => admin.call<{ state: string; result: Record<string, number> }>(`/api/v1/jobs/${body.reclassification_job}`);
  const { body: ended } = await eventually(job, (answer) => answer.body.state === 'COMPLETED');
  expect(ended.result).toMatchObject({ changed: 1 });
  expect(await owners()).toBe(1);
});

it.each([
  ['a rule that there is not', { disabled_rules: ['nowhere'] }, 'disabled_rules'],
  ['a runbook that is no address', { runbook_template: 'ftp://x' }, 'runbook_template'],
  ['a tag without a name', { tag_mapping: { owner: [''] } }, 'tag_mapping.owner.0'],
  ['nothing', {}, 'input'],
])('refuses %s in its own words', async (_what, body, path) => {
  const answer = await put(body);
  expect(answer.status).toBe(422);
  expect((answer.body as unknown as { detail: { path: string }[] }).detail[0]!.path).toBe(path);
});

it('an analyst neither reads nor changes them', async () => {
  const analyst = await tenant.as('analyst');
  expect((await analyst.call(PATH)).status).toBe(403);
  expect((await put({ disabled_rules: [] }, analyst)).status).toBe(403);
});
