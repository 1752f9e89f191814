import { dataClassesOf } from '../../catalog/data-classes.js';
import { jewelKinds, reasonsOf } from '../../subgraphs/risk/jewels/proposal-rules.js';
import type { ReadClassified } from '../../kit/read/inventory.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const DATABASE = 'arn:aws:rds:eu-west-1:111122223333:db:orders';
const KEY = 'arn:aws:kms:eu-west-1:111122223333:key/shared';
const bucket = (name: string) => `arn:aws:s3:::${name}`;

const resource = (type: string, name: string, attributes: Record<string, unknown>) => ({
  ...{ mode: 'managed', type, name, provider: 'provider["registry.terraform.io/hashicorp/aws"]' },
  instances: [{ attributes }],
});
const store = (name: string, tags: Record<string, string>, more: object = {}) =>
  resource('aws_s3_bucket', name, { arn: bucket(name), bucket: name, tags, ...more });
const database = (tags: Record<string, string>) =>
  resource('aws_db_instance', 'orders', { arn: DATABASE, identifier: 'orders', engine: 'postgres', tags });
const estate = (...resources: ReturnType<typeof resource>[]) => ({
  ...{ version: 4, terraform_version: '1.9.0', serial: 1, lineage: 'jewels', resources },
});
const volume = (n: number) =>
  resource('aws_ebs_volume', `v${n}`, { arn: `arn:aws:ec2:eu-west-1:111122223333:volume/vol-${n}`, id: `vol-${n}`, kms_key_id: KEY });
const WHOLE = estate(
  store('patients', { 'data-classification': 'PHI' }),
  store('website', { 'data-classification': 'public' }),
  database({ environment: 'prod' }),
  resource('aws_subnet', 'a', {
    arn: 'arn:aws:ec2:eu-west-1:111122223333:subnet/subnet-1',
    id: 'subnet-1',
    tags: { criticality: 'critical' },
  }),
  resource('aws_kms_key', 'shared', { arn: KEY, key_id: 'shared' }),
  ...[1, 2, 3, 4, 5].map(volume),
);

interface Jewel {
  resource_uid: string;
  state: string | null;
  tier: string | null;
  reason: string;
  value: number | null;
  has_figures: boolean;
  set_by: string | null;
  proposal: { tier: string; reasons: string[] } | null;
  open_findings: { total: number; restrictedEngines: string[] };
}
const jewels = async (client: Client, query = '') => {
  const { body } = await client.call<{ items: Jewel[]; total: number }>(`/api/v1/risk/crown-jewels${query}`);
  expect(body.total).toBe(body.items.length);
  return body.items;
};
const said = async (client: Client, query = '') =>
  (await jewels(client, query)).map(({ resource_uid, tier, state }) => `${resource_uid.split(/[/:]/).at(-1)} ${tier} ${state}`);
const mark = (client: Client, uid: string, body: object) =>
  client.call<Jewel>(`/api/v1/risk/crown-jewels/${encodeURIComponent(uid)}`, { method: 'PUT', body });
const see = async (client: Client, report: object) => expect(await client.import(report, {})).toMatchObject({ state: 'COMPLETED' });

it('facts propose what keeps data that matters, with their reasons, and take it back when they hold no longer', async () => {
  const client = await (await world.tenant()).as('analyst');
  expect(await jewels(client)).toEqual([]);
  await see(client, WHOLE);
  expect(await said(client)).toEqual(['patients critical proposed', 'shared high proposed', 'orders high proposed']);
  const [patients, key] = await jewels(client);
  expect(patients).toMatchObject({ reason: 'It holds data of the class phi.', has_figures: false, set_by: null });
  expect(key!.proposal).toEqual({ tier: 'high', reasons: ['5 resources are encrypted with it, read it or sign in with it.'] });
  await see(client, estate(store('patients', {}), database({ environment: 'test', 'data-class': 'pii' }), volume(1)));
  expect(await said(client)).toEqual(['orders medium proposed']);
});

it('what people decide goes before facts, survives runs, is audited, and can be taken back', async () => {
  const tenant = await world.tenant();
  const [admin, viewer] = [await tenant.as('tenant_admin'), await tenant.as('viewer')];
  await see(admin, WHOLE);
  const accepted = await mark(admin, DATABASE, { decision: 'accepted', tier: 'critical', value: 2_000_000, reason: 'All orders' });
  expect(accepted.body).toMatchObject({
    state: 'accepted',
    tier: 'critical',
    value: 2_000_000,
    has_figures: true,
    set_by: admin.user!.email,
  });
  expect((await mark(admin, bucket('patients'), { decision: 'refused', reason: 'Made-up data' })).status).toBe(200);
  await mark(admin, bucket('website'), { decision: 'accepted', reason: 'The shop' });
  await see(admin, WHOLE);
  await see(admin, estate(store('patients', { 'data-classification': 'PHI' }), store('website', {})));
  expect(await said(viewer)).toEqual(['orders critical accepted', 'website high accepted']);
  expect(await said(viewer, '?state=refused')).toEqual(['patients critical refused']);
  expect((await jewels(viewer))[0]!.open_findings.restrictedEngines).toContain('vulnerability');

  await mark(admin, bucket('patients'), { decision: 'undecided' });
  expect((await mark(admin, bucket('website'), { decision: 'undecided' })).body).toMatchObject({ state: null, tier: null, reason: '' });
  expect(await said(viewer)).toEqual(['orders critical accepted', 'patients critical proposed']);
  const { body } = await admin.call<{ items: { target: string; detail: object }[] }>('/api/v1/audit-logs?action=crown_jewel.mark');
  expect(body.items.map(({ target }) => target.split(/[/:]/).at(-1))).toEqual(['website', 'patients', 'website', 'patients', 'orders']);
  expect(body.items.at(-1)!.detail).toMatchObject({ state: 'accepted', tier: 'critical', value: 2_000_000, reason: 'All orders' });
});

it('marks of others, of what is not there and with figures that are none are refused', async () => {
  const [tenant, other] = [await world.tenant(), await world.tenant()];
  const [admin, stranger] = [await tenant.as('tenant_admin'), await other.as('tenant_admin')];
  await see(admin, WHOLE);
  const right = { decision: 'accepted', reason: 'Ours' };
  expect((await mark(await tenant.as('viewer'), DATABASE, right)).status).toBe(403);
  expect((await mark(stranger, DATABASE, right)).text).toBe(
    (await mark(stranger, bucket('nothing'), right)).text.replaceAll('nothing', ''),
  );
  expect((await mark(stranger, DATABASE, right)).status).toBe(404);
  const wrong: [object, string][] = [
    [{ decision: 'accepted' }, 'reason'],
    [{ ...right, value: -1 }, 'value'],
    [{ ...right, fines: 1e16 }, 'fines'],
    [{ ...right, records: 1.5 }, 'records'],
    [{ ...right, record_class: '  ' }, 'record_class'],
    [{ decision: 'refused', reason: 'No', tier: 'high' }, ''],
    [{ decision: 'undecided', value: 5 }, ''],
  ];
  for (const [body, path] of wrong) {
    const answer = await mark(admin, DATABASE, body);
    expect([answer.status, answer.body]).toEqual([422, expect.objectContaining({ error_code: 'VALIDATION_ERROR' })]);
    expect(answer.text).toContain(`"path":"${path}"`);
  }
  expect(await said(admin, '?state=accepted')).toEqual([]);
});

it('two runs and a mark at once lose nothing', async () => {
  const admin = await (await world.tenant()).as('tenant_admin');
  await see(admin, WHOLE);
  await Promise.all([
    admin.import(WHOLE, {}),
    admin.import(estate(store('patients', { 'data-classification': 'pci, phi' })), {}),
    mark(admin, bucket('patients'), { decision: 'accepted', records: 5_000, record_class: 'Health', reason: 'Real' }),
  ]);
  expect((await jewels(admin, '?state=accepted'))[0]).toMatchObject({
    resource_uid: bucket('patients'),
    records: 5_000,
    record_class: 'health',
  });
});

it('words for classes of data mean one class, and only what keeps things is proposed', () => {
  expect(dataClassesOf(['pii', 'phi', 'unheard-of', 'gdpr'])).toEqual(['health', 'personal']);
  const asset: ReadClassified = {
    ...{ resource_uid: 'r', resource_type: 'aws_db_instance', resource_name: null, provider: 'aws', account_id: null, region: 'global' },
    ...{ criticality: 'critical', environment: 'development', data_classes: [], planned: false },
  };
  expect(reasonsOf(asset).map(({ tier }) => tier)).toEqual(['high']);
  expect(reasonsOf({ ...asset, planned: true })).toEqual([]);
  for (const type of ['aws_subnet', 'aws_ebs_volume', 'aws_sqs_queue', 'aws_acm_certificate', 'aws_iam_role'])
    expect([type, reasonsOf({ ...asset, resource_type: type })]).toEqual([type, []]);
  const kinds = new Set(jewelKinds().values());
  expect([...kinds].sort()).toEqual(['data_store', 'database', 'key', 'model', 'secret']);
});
