import { randomUUID } from 'node:crypto';
import { openWorld, type Client, type World } from '../support/world.js';

interface Key {
  resource_uid: string;
  resource_type: string;
  resource_name: string | null;
  provider: string;
  account_id: string | null;
  first_seen_at: string;
  last_seen_at: string;
  kind: string | null;
  algorithm: string | null;
  bits: number | null;
  weak: boolean | null;
  state: string | null;
  rotates: boolean | null;
  rotation_days: number | null;
  expires_at: string | null;
}
interface Page {
  items: Key[];
  total: number;
  has_more: boolean;
}

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const account_id = '111122223333';
const LIST = '/api/v1/encryption/keys';

/** A Terraform plan of AWS resources: type, name, values, and what is not known before it is applied. */
type Planned = [type: string, name: string, values: Record<string, unknown>, unknown?: Record<string, unknown>];
const plan = (resources: Planned[]) => ({
  format_version: '1.2',
  terraform_version: '1.9.0',
  planned_values: {
    root_module: {
      resources: resources.map(([type, name, values]) => ({
        address: `${type}.${name}`,
        mode: 'managed',
        type,
        name,
        provider_name: 'registry.terraform.io/hashicorp/aws',
        values,
      })),
    },
  },
  resource_changes: resources.map(([type, name, values, unknown = {}]) => ({
    address: `${type}.${name}`,
    mode: 'managed',
    type,
    name,
    provider_name: 'registry.terraform.io/hashicorp/aws',
    change: { actions: ['create'], before: null, after: values, after_unknown: unknown },
  })),
  configuration: { root_module: {} },
});

const KEYS: Planned[] = [
  ['aws_kms_key', 'rotated', { enable_key_rotation: true, rotation_period_in_days: 90, is_enabled: true }],
  ['aws_kms_key', 'plain', { is_enabled: false }],
  ['aws_kms_key', 'open', {}, { enable_key_rotation: true, customer_master_key_spec: true }],
  ['aws_kms_external_key', 'small', { key_spec: 'RSA_2048', enabled: true, valid_to: '2031-02-03T04:05:06Z' }],
  ['aws_s3_bucket', 'none', { bucket: 'none' }],
];

const importPlan = async (client: Client, resources: Planned[]) => {
  const run = await client.import(plan(resources), { account_id, artifact: 'plan' });
  expect(run).toMatchObject({ state: 'COMPLETED' });
  return run;
};
const list = async (client: Client, query = ''): Promise<Page> => {
  const { status, body, text } = await client.call<Page>(`${LIST}?${query}`);
  if (status !== 200) throw new Error(`${query}: ${status} ${text}`);
  return body;
};
const byName = async (client: Client, query = '') =>
  Object.fromEntries((await list(client, query)).items.map((key) => [/[^.]*$/.exec(key.resource_uid.split('/').at(-1)!)![0], key]));

const analyst = async () => (await world.tenant()).as('analyst');

describe('the keys of a Terraform plan', () => {
  it('are listed with what the plan tells, the defaults of the provider, and null for what is open', async () => {
    const client = await analyst();
    await importPlan(client, KEYS);
    const keys = await byName(client);
    expect(Object.keys(keys).sort()).toEqual(['open', 'plain', 'rotated', 'small']);
    const symmetric = { kind: 'kms_key', algorithm: 'aes', bits: 256, weak: false };
    expect(keys['rotated']).toMatchObject({
      ...symmetric,
      rotates: true,
      rotation_days: 90,
      state: 'enabled',
      provider: 'aws',
      account_id,
    });
    expect(keys['plain']).toMatchObject({ ...symmetric, rotates: false, rotation_days: null, state: 'disabled' });
    expect(keys['open']).toMatchObject({ algorithm: null, bits: null, weak: null, rotates: null, rotation_days: null, state: 'enabled' });
    expect(keys['small']).toMatchObject({ algorithm: 'rsa', bits: 2048, weak: false, expires_at: '2031-02-03T04:05:06.000Z' });
  });

  it('are filtered, sorted and paged exactly', async () => {
    const client = await analyst();
    await importPlan(client, KEYS);
    const names = async (query: string) => Object.keys(await byName(client, query)).sort();
    expect(await names('rotates=true')).toEqual(['rotated']);
    expect(await names('rotates=false&state=disabled,enabled')).toEqual(['plain', 'small']);
    expect(await names('algorithm=rsa&kind=kms_key')).toEqual(['small']);
    expect(await names('bits_min=257')).toEqual(['small']);
    expect(await names('bits_max=256')).toEqual(['plain', 'rotated']);
    expect(await names('expires_at_before=2031-02-03T04:05:07Z&expires_at_after=2031-02-03T04:05:05Z')).toEqual(['small']);
    expect(await names('expires_at_before=2031-02-03T04:05:06Z')).toEqual([]);
    expect(await names('q=ROTATED')).toEqual(['rotated']);
    expect(await names('q=.*')).toEqual([]);
    expect(await names('provider=gcp')).toEqual([]);
    expect(await names(`account_id=${account_id}&resource_type=aws_kms_external_key`)).toEqual(['small']);
    const sorted = (await list(client, 'sort=-bits')).items.map(({ bits }) => bits);
    expect(sorted).toEqual([2048, 256, 256, null]);
    expect((await list(client, 'sort=bits')).items.map(({ bits }) => bits)).toEqual([...sorted].reverse());
    const pages = await Promise.all([1, 2, 3].map((page) => list(client, `page_size=2&page=${page}`)));
    expect(pages.map(({ total, has_more, items }) => [total, has_more, items.length])).toEqual([
      [4, true, 2],
      [4, false, 2],
      [4, false, 0],
    ]);
    for (const query of ['sort=weak', 'sort=__proto__', 'state=ENABLED', 'kind=tls', 'bits_min=x', 'weak=1', 'unknown=1', 'page=0'])
      expect({ query, status: (await client.call(`${LIST}?${query}`)).status }).toEqual({ query, status: 400 });
  });

  it('follow a changed configuration, and a second import of the same doubles nothing', async () => {
    const client = await analyst();
    await importPlan(client, KEYS);
    const before = await byName(client);
    await importPlan(client, [['aws_kms_key', 'rotated', { is_enabled: false }], ...KEYS.slice(1)]);
    const after = await byName(client);
    expect(after['rotated']).toMatchObject({
      rotates: false,
      rotation_days: null,
      state: 'disabled',
      first_seen_at: before['rotated']!.first_seen_at,
    });
    const { last_seen_at: seen, ...rest } = after['plain']!;
    expect(before['plain']).toMatchObject(rest);
    expect(seen > before['plain']!.last_seen_at).toBe(true);
    expect((await list(client)).total).toBe(4);
  });

  it('lose their row with their type, and get it with one', async () => {
    const client = await analyst();
    const state = (type: string) => ({
      version: 4,
      terraform_version: '1.9.0',
      serial: 1,
      lineage: randomUUID(),
      resources: [
        {
          mode: 'managed',
          type,
          name: 'one',
          provider: 'provider["registry.terraform.io/hashicorp/aws"]',
          instances: [{ attributes: { arn: 'arn:aws:kms:eu-west-1:111122223333:key/one', id: 'one' } }],
        },
      ],
    });
    const totals: number[] = [];
    for (const type of ['aws_s3_bucket', 'aws_kms_key', 'aws_s3_bucket', 'aws_kms_replica_key']) {
      expect(await client.import(state(type), { account_id, artifact: 'state' })).toMatchObject({ state: 'COMPLETED' });
      totals.push((await list(client)).total);
    }
    expect(totals).toEqual([0, 1, 0, 1]);
    const [assets, [key]] = [(await client.call<Page>('/api/v1/inventory/assets')).body.items, (await list(client)).items];
    expect(key).toMatchObject({ first_seen_at: assets[0]!.first_seen_at, resource_type: 'aws_kms_replica_key' });
  });
});

const secret = (name: string, type: string, data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'default' },
  type,
  data,
});

describe('the secrets of Kubernetes manifests', () => {
  it('are listed by what they are for, without a value', async () => {
    const client = await analyst();
    const hidden = Buffer.from('hidden-value-of-the-secret').toString('base64');
    const items = [
      secret('app', 'Opaque', { password: hidden }),
      secret('web', 'kubernetes.io/tls', { 'tls.crt': hidden, 'tls.key': hidden }),
      secret('git', 'kubernetes.io/ssh-auth', { 'ssh-privatekey': hidden }),
    ];
    const run = await client.import({ apiVersion: 'v1', kind: 'List', items }, { artifact: 'cluster' });
    expect(run).toMatchObject({ state: 'COMPLETED' });
    const { items: keys } = await list(client, 'sort=resource_name');
    expect(keys.map(({ resource_name, kind }) => [resource_name, kind])).toEqual([
      ['app', 'secret'],
      ['git', 'ssh_key'],
      ['web', 'certificate'],
    ]);
    const text = JSON.stringify(keys);
    expect([text.includes(hidden), text.includes('hidden-value')]).toEqual([false, false]);
  });
});

describe('who reads keys', () => {
  it('is not a viewer, nor anybody of another tenant', async () => {
    const tenant = await world.tenant();
    await importPlan(await tenant.as('analyst'), KEYS);
    const { status, body } = await (await tenant.as('viewer')).call(LIST);
    expect({ status, body }).toMatchObject({
      status: 403,
      body: { error_code: 'FORBIDDEN', message: 'Missing permission: encryption:read' },
    });
    expect((await world.anonymous.call(LIST)).status).toBe(401);
    expect(await list(await analyst())).toMatchObject({ items: [], total: 0 });
    expect(await list(await tenant.as('tenant_admin'))).toMatchObject({ total: 4 });
  });
});
