import { generateKeyPairSync } from 'node:crypto';
import { CALLS } from '../../collectors/calls.js';
import { collectorsOf } from '../../collectors/index.js';
import type { Connection } from '../../collectors/types.js';
import { systemClock } from '../../kit/base/clock.js';
import { PROVIDERS, type Provider } from '../../schema/model.js';
import type { Outbound } from '../../kit/outbound/outbound.js';
import { masterKeyOf } from '../../kit/keys/master-key.js';
import { required } from '../support/required.js';
import { openCredential } from '../../subgraphs/onboarding/accounts/credential.js';
import { cloudAccounts } from '../../subgraphs/onboarding/accounts/records.js';
import { bucket, ocsf, trivy } from '../support/reports.js';
import { eventually } from '../support/receiver.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const PEM = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const RSA = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
const UUID = '11111111-2222-4333-8444-555555555555';
const OCID = (kind: string) => `ocid1.${kind}.oc1..aaaaaaaaexample`;
const SECRET = 'a secret that must not be seen again';

/** For each provider an account, and a way in by a secret. */
const CONNECTIONS: Readonly<Record<Provider, { account_id: string; secret: Record<string, string> }>> = {
  aws: { account_id: '123456789012', secret: { access_key_id: 'AKIAABCDEFGHIJKLMNOP', secret_access_key: SECRET } },
  azure: { account_id: UUID, secret: { directory_id: UUID, client_id: UUID, client_secret: SECRET } },
  gcp: {
    account_id: 'acme-prod',
    secret: { service_account_email: 'read@acme-prod.iam.gserviceaccount.com', private_key: PEM, private_key_id: 'k1' },
  },
  oci: {
    account_id: OCID('tenancy'),
    secret: { tenancy_ocid: OCID('tenancy'), user_ocid: OCID('user'), fingerprint: Array(16).fill('0f').join(':'), private_key: PEM },
  },
  alicloud: { account_id: '1234567890123456', secret: { access_key_id: 'LTAI0000', access_key_secret: SECRET } },
  ibm: { account_id: 'f'.repeat(32), secret: { api_key: SECRET } },
  k8s: { account_id: 'prod-cluster', secret: { server: 'https://k8s.acme.example', ca_certificate: CERTIFICATE, token: SECRET } },
};

const connect = (client: Client, provider: Provider, more: Record<string, unknown> = {}) => {
  const { account_id, secret } = CONNECTIONS[provider];
  return client.call<Record<string, unknown>>('/api/v1/cloud-accounts', {
    body: { provider, account_id, connection: { secret }, ...more },
  });
};
const pathsOf = ({ body }: { body: Record<string, unknown> }) => (body['detail'] as { path: string }[]).map(({ path }) => path);
const jobEnded = (client: Client, id: unknown) =>
  eventually(
    () => client.call<{ state: string; result: Record<string, unknown> }>(`/api/v1/jobs/${String(id)}`).then(({ body }) => body),
    ({ state }) => state === 'COMPLETED',
  );

describe('a cloud account', () => {
  it.each(PROVIDERS)('of %s is connected by a secret that is sealed, and that nothing shows again', async (provider) => {
    const tenant = await world.tenant();
    const owner = await tenant.as('org_admin');
    const made = await connect(owner, provider, { name: 'Ours', tags: [{ name: 'unit', value: 'shop' }] });
    const { account_id, secret } = CONNECTIONS[provider];
    expect([made.status, made.body]).toMatchObject([201, { account_id, provider, name: 'Ours', state: 'degraded', version: 1 }]);
    const seen = [
      made.text,
      ...(await Promise.all(
        ['/api/v1/cloud-accounts', `/api/v1/cloud-accounts/${account_id}`, '/api/v1/accounts', '/api/v1/audit-logs'].map(
          async (path) => (await owner.call(path)).text,
        ),
      )),
    ].join('\n');
    for (const value of [...Object.values(secret), 'sealed_credential', 'credential_type', 'credential_ref'])
      if (value !== account_id && !value.startsWith(account_id)) expect(seen).not.toContain(JSON.stringify(value).slice(1, -1));
    const [row] = await world.database.tenant(tenant.tenant._id).collection(cloudAccounts).find({});
    expect(JSON.stringify(row)).not.toContain(SECRET);
    const masterKey = masterKeyOf(required('PALISADE_TEST_SECRET'));
    expect(openCredential(masterKey, { ...row!, sealed_credential: row!.sealed_credential! })).toEqual({
      method: 'secret',
      values: secret,
    });
  });

  it('is connected once, by those who may, and is nobody else’s', async () => {
    const [one, two] = [await world.tenant(), await world.tenant()];
    const owner = await one.as('org_admin');
    const [first, second] = await Promise.all([connect(owner, 'aws'), connect(owner, 'aws')]);
    expect([first.status, second.status].sort()).toEqual([201, 409]);
    expect((await connect(await two.as('org_admin'), 'aws')).status).toBe(201);
    for (const role of ['tenant_admin', 'analyst', 'viewer'] as const) expect((await connect(await one.as(role), 'ibm')).status).toBe(403);
    expect((await (await one.as('analyst')).call('/api/v1/cloud-accounts')).status).toBe(403);
    expect((await (await two.as('org_admin')).call('/api/v1/cloud-accounts')).body).toMatchObject({ total: 1 });
  });

  it.each<[string, Provider, Record<string, unknown>, string]>([
    ['another provider’s way in', 'oci', { connection: { role: { role_arn: 'arn:aws:iam::123456789012:role/x' } } }, 'connection.role'],
    ['two ways in', 'aws', { connection: { role: { role_arn: 'x' }, secret: {} } }, 'connection'],
    ['no way in', 'aws', { connection: {} }, 'connection'],
    [
      'a role of another account',
      'aws',
      { connection: { role: { role_arn: 'arn:aws:iam::999999999999:role/x' } } },
      'connection.role.role_arn',
    ],
    ['values of another provider', 'ibm', { connection: { secret: { api_key: SECRET, token: SECRET } } }, 'connection.secret'],
    [
      'an address in a private network',
      'k8s',
      { connection: { secret: { ...CONNECTIONS.k8s.secret, server: 'https://169.254.169.254' } } },
      'connection.secret.server',
    ],
    [
      'a temporary key',
      'aws',
      { connection: { secret: { access_key_id: 'ASIAABCDEFGHIJKLMNOP', secret_access_key: SECRET } } },
      'connection.secret.access_key_id',
    ],
    ['an account of another form', 'aws', { account_id: 'acme-prod' }, 'account_id'],
    ['a service that there is none of', 'aws', { scope: { services: ['nothing'] } }, 'scope.services.0'],
  ])('is refused with %s, by its path and without its value', async (_case, provider, more, path) => {
    const owner = await (await world.tenant()).as('org_admin');
    const refused = await connect(owner, provider, more);
    expect([refused.status, pathsOf(refused)]).toEqual([422, [path]]);
    expect(refused.text).not.toContain(SECRET);
  });

  it('takes no field by which its owner would choose what our process runs, reads or calls', async () => {
    const owner = await (await world.tenant()).as('org_admin');
    for (const field of ['exec', 'credential_process', 'token_uri', 'proxy_url', 'profile', 'path']) {
      const { status, body } = await connect(owner, 'aws', { connection: { secret: { ...CONNECTIONS.aws.secret, [field]: 'x' } } });
      expect([field, status, (body['detail'] as { path: string }[])[0]?.path]).toEqual([field, 422, `connection.secret.${field}`]);
    }
  });

  it('is renamed, paused, resumed, re-scoped and rotated; its version guards it', async () => {
    const owner = await (await world.tenant()).as('org_admin');
    await connect(owner, 'aws', { scope: { regions: ['eu-west-1'], services: ['s3'] } });
    const change = (body: object, headers = {}) =>
      owner.call<Record<string, unknown>>('/api/v1/cloud-accounts/123456789012', { method: 'PATCH', body, headers });
    expect((await change({ name: 'Prod', state: 'paused', scope: { regions: ['us-east-1'] } })).body).toMatchObject({
      name: 'Prod',
      state: 'paused',
      scope: { regions: ['us-east-1'], services: ['s3'] },
      version: 2,
    });
    expect((await change({ tags: [] })).body).toMatchObject({ state: 'paused', version: 3 });
    expect((await change({ state: 'connected' }, { 'if-match': '"2"' })).status).toBe(412);
    expect((await change({ state: 'connected' }, { 'if-match': '"3"' })).body).toMatchObject({ state: 'degraded', version: 4 });
    const rotated = await change({ connection: { role: { role_arn: 'arn:aws:iam::123456789012:role/palisade' } } });
    const template = await owner.call<{ external_id: string }>('/api/v1/onboarding/templates/aws');
    expect(rotated.body['external_id']).toBe(template.body.external_id);
    const log = await owner.call<{ items: { detail: unknown }[] }>('/api/v1/audit-logs?action=cloud_account.update');
    expect(log.body.items[0]!.detail).toMatchObject({ fields: ['connection'] });
  });
});

describe('disconnecting', () => {
  const posture = (account: string) => ocsf([{ rule: 'r1', resource: bucket(`of-${account}`), account }]);
  const filled = async (tenant: TestTenant) => {
    const owner = await tenant.as('org_admin');
    await connect(owner, 'aws');
    await owner.import(posture('123456789012'));
    await owner.import(posture('999999999999'));
    return owner;
  };
  const open = async (client: Client) =>
    (await client.call<{ items: { account_id: string }[] }>('/api/v1/check/findings?status=OPEN')).body.items.map(
      ({ account_id }) => account_id,
    );

  it('takes the credential away at once, resolves the findings of that account alone, and removes the connection', async () => {
    const tenant = await world.tenant();
    const owner = await filled(tenant);
    const left = await owner.call('/api/v1/cloud-accounts/123456789012', { method: 'DELETE' });
    expect([left.status, left.body['kind']]).toEqual([202, 'onboarding.disconnect']);
    expect((await owner.call('/api/v1/cloud-accounts/123456789012', { method: 'DELETE' })).status).not.toBe(202);
    expect(await jobEnded(owner, left.body['job_id'])).toMatchObject({ result: { resolved: 1 } });
    expect(await open(owner)).toEqual(['999999999999']);
    expect((await owner.call('/api/v1/cloud-accounts/123456789012')).status).toBe(404);
    expect((await connect(owner, 'aws')).status).toBe(201);
  });

  it('without purge leaves what is known of the account', async () => {
    const owner = await filled(await world.tenant());
    const left = await owner.call('/api/v1/cloud-accounts/123456789012?purge=false', { method: 'DELETE' });
    await jobEnded(owner, left.body['job_id']);
    expect((await open(owner)).sort()).toEqual(['123456789012', '999999999999']);
  });
});

describe('a template', () => {
  it.each(PROVIDERS)('for %s grants every permission of the table of calls, and no other', async (provider) => {
    const client = await (await world.tenant()).as('tenant_admin');
    const { status, body } = await client.call<{
      external_id: string | null;
      services: unknown;
      templates: { format: string; content: string }[];
    }>(`/api/v1/onboarding/templates/${provider}`);
    expect([status, body.services]).toEqual([200, CALLS[provider]]);
    const formats = provider === 'aws' ? ['cloudformation', 'terraform'] : ['terraform', 'cli'];
    expect(body.templates.map(({ format }) => format)).toEqual(formats);
    for (const { content } of body.templates)
      for (const permission of CALLS[provider].flatMap(({ permissions }) => permissions))
        expect(content).toContain(provider === 'k8s' ? permission.split('/')[1] : permission);
    const bound = provider === 'aws';
    expect([body.external_id !== null, body.templates.every(({ content }) => content.includes(body.external_id ?? ''))]).toEqual([
      bound,
      true,
    ]);
  });

  it('for AWS is one role that reads, trusted under the external id of the tenant alone', async () => {
    const ask = async () => {
      const tenant = await world.tenant();
      const client = await tenant.as('tenant_admin');
      const path = '/api/v1/onboarding/templates/aws';
      const [one, again] = await Promise.all([client.call<Template>(path), client.call<Template>(path)]);
      expect(one.body).toEqual(again.body);
      return one.body;
    };
    type Template = { external_id: string; templates: { content: string }[] };
    const [one, other] = [await ask(), await ask()];
    expect(one.external_id).not.toBe(other.external_id);
    const { Role } = (JSON.parse(one.templates[0]!.content) as { Resources: Record<string, { Properties: Record<string, unknown> }> })
      .Resources;
    expect(Role!.Properties['AssumeRolePolicyDocument']).toMatchObject({
      Statement: [{ Condition: { StringEquals: { 'sts:ExternalId': one.external_id } } }],
    });
    const [{ PolicyDocument }] = Role!.Properties['Policies'] as [{ PolicyDocument: { Statement: { Action: string[] }[] } }];
    const actions = PolicyDocument.Statement.flatMap(({ Action }) => Action);
    expect(actions).toEqual(CALLS.aws.flatMap(({ permissions }) => permissions).sort());
    expect(actions.filter((action) => !/^[a-z0-9-]+:((Batch)?(Get|List|Describe)|GET$)/.test(action))).toEqual([]);
    // inline policies of a role have so many characters at most (quotas of IAM)
    expect(JSON.stringify(PolicyDocument).length).toBeLessThan(10_240);
    // what is stored is not read
    expect(actions).not.toEqual(expect.arrayContaining(['s3:GetObject']));
  });

  it.each(PROVIDERS)('for %s leads to a way in by which its collector goes to the provider', async (provider) => {
    const client = await (await world.tenant()).as('tenant_admin');
    const { body } = await client.call<{ steps: string[] }>(`/api/v1/onboarding/templates/${provider}`);
    const ways = {
      role: /\brole\b/,
      workload_identity: /workload identity|trusted profile/i,
      secret: /\b(?:key|secret|token|AccessKey)\b/,
    };
    const led = (Object.keys(ways) as (keyof typeof ways)[]).filter((method) => ways[method].test(body.steps.join('\n')));
    expect(led).toEqual(provider === 'aws' ? ['role'] : ['secret']);
    let asked = 0;
    const outbound = {
      fetch: () => {
        asked += 1;
        return Promise.resolve(new Response('{}', { status: 401 }));
      },
      trusting: () => outbound,
      close: () => Promise.resolve(),
    } as unknown as Outbound;
    const identity = { COLLECTOR_AWS_ACCESS_KEY_ID: 'AKIAOURS000000000000', COLLECTOR_AWS_SECRET_ACCESS_KEY: SECRET };
    const collector = collectorsOf({ config: identity as never, outbound, clock: systemClock })[provider]!;
    const { account_id, secret } = CONNECTIONS[provider];
    const connection: Connection =
      provider === 'aws'
        ? { method: 'role' as const, values: { role_arn: `arn:aws:iam::${account_id}:role/palisade-read` }, external_id: 'e' }
        : {
            method: 'secret' as const,
            values: { ...secret, ...(['oci', 'gcp'].includes(provider) && { private_key: RSA }) },
            external_id: null,
          };
    const target = { provider, account_id, regions: [], services: [], connection };
    const tried = collector.tryOut(target, new AbortController().signal)[Symbol.asyncIterator]();
    // that nobody there takes the key is no matter
    await tried.next().catch(() => undefined);
    expect(asked).toBeGreaterThan(0);
  });

  it('for Alibaba Cloud is a user that reads, whose key no file holds', async () => {
    const client = await (await world.tenant()).as('tenant_admin');
    const { body } = await client.call<{ templates: { content: string }[] }>('/api/v1/onboarding/templates/alicloud');
    for (const { content } of body.templates) {
      expect(content).not.toMatch(/AssumeRole|access_key|CreateAccessKey/);
      expect(content).toMatch(/alicloud_ram_user_policy_attachment|AttachPolicyToUser/);
    }
  });

  it('is of no provider that there is none of, and for those who may see accounts', async () => {
    const tenant = await world.tenant();
    expect((await (await tenant.as('tenant_admin')).call('/api/v1/onboarding/templates/nowhere')).status).toBe(404);
    expect((await (await tenant.as('viewer')).call('/api/v1/onboarding/templates/aws')).status).toBe(403);
  });
});

describe('the account directory', () => {
  interface Directory {
    total: number;
    items: { account_id: string; connected: boolean; open_findings: Record<string, number>; resources: number; groups: string[] }[];
  }
  const directory = async (client: Client, query = '') => (await client.call<Directory>(`/api/v1/accounts?${query}`)).body;
  const ids = ({ items }: Directory) => items.map(({ account_id }) => account_id);

  it('has every account that findings, resources or connections name, with what is open there', async () => {
    const tenant = await world.tenant();
    const owner = await tenant.as('org_admin');
    expect(await directory(owner)).toMatchObject({ total: 0, items: [] });
    await connect(owner, 'aws', { name: 'Production' });
    await owner.import(
      ocsf([
        { rule: 'r1', resource: bucket('a'), account: '555566667777', severity: 'Critical' },
        { rule: 'r2', resource: bucket('a'), account: '555566667777', severity: 'Low' },
        { rule: 'r3', resource: bucket('b'), account: '555566667777', status: 'PASS' },
      ]),
    );
    await owner.import(trivy('img:1', [{ id: 'CVE-2024-0001', pkg: 'openssl' }]), { account_id: '888899990000' });
    const all = await directory(owner);
    expect(ids(all)).toEqual(['123456789012', '555566667777', '888899990000']);
    expect(all.items[0]).toMatchObject({ name: 'Production', connected: true, provider: 'aws', open_findings: { total: 0 } });
    expect(all.items[1]).toMatchObject({ name: null, connected: false, open_findings: { total: 2, critical: 1, low: 1 } });
    expect(all.items[2]!.open_findings['total']).toBe(1);
    expect(ids(await directory(owner, 'sort=-severity&page_size=1'))).toEqual(['555566667777']);
    expect(ids(await directory(owner, 'connected=true'))).toEqual(['123456789012']);
    expect(ids(await directory(owner, 'q=PROD'))).toEqual(['123456789012']);
    expect((await owner.call('/api/v1/accounts?sort=name')).status).toBe(400);
    expect(await directory(await (await world.tenant()).as('org_admin'))).toMatchObject({ total: 0 });
  });

  it('is grouped by ids and by the tags of connected accounts', async () => {
    const tenant = await world.tenant();
    const owner = await tenant.as('org_admin');
    await connect(owner, 'aws', { tags: [{ name: 'env', value: 'prod' }] });
    await owner.import(ocsf([{ rule: 'r1', resource: bucket('a'), account: '123456789012', severity: 'Critical' }]));
    const set = (id: string, body: object) => owner.call<Record<string, unknown>>(`/api/v1/accounts/groups/${id}`, { method: 'PUT', body });
    const prod = { name: 'Production', kind: 'environment', tag: { name: 'env', value: 'prod' } };
    expect((await set('prod', prod)).body).toMatchObject({ account_ids: ['123456789012'], accounts: 1, open_findings: { critical: 1 } });
    expect((await set('shop', { name: 'Shop', account_ids: ['123456789012', 'later'] })).body).toMatchObject({
      account_ids: ['123456789012', 'later'],
      accounts: 1,
      kind: 'other',
    });
    expect((await directory(owner, 'group=prod')).items[0]!.groups).toEqual(['prod', 'shop']);
    await set('prod', { ...prod, tag: { name: 'env', value: 'test' } });
    expect(await directory(owner, 'group=prod')).toMatchObject({ total: 0 });
    expect((await owner.call('/api/v1/accounts/groups')).body).toMatchObject({
      total: 2,
      items: [{ group_id: 'prod', accounts: 0 }, { group_id: 'shop' }],
    });
    for (const body of [{ name: 'Both', account_ids: [], tag: prod.tag }, { name: 'None' }])
      expect((await set('bad', body)).status).toBe(422);
    expect((await set('Bad id', { name: 'x', account_ids: [] })).status).toBe(400);
  });
});
