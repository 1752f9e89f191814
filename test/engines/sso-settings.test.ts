import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verified } from '../support/domains.js';
import { openOwnWorld, type OwnWorld } from '../support/own-world.js';
import { openWorld, type Client, type TestTenant } from '../support/world.js';
import { ssoSettings } from '../../accounts/providers/records.js';

interface Settings {
  saml: { enabled: boolean; idp_certificates: { fingerprint: string; subject: string; expires_at: string; pem: string }[] } | null;
  oauth: Record<string, unknown> | null;
  service_provider: Record<string, unknown>;
  require_sso: boolean;
  set_by_org_admin: boolean;
  verified_at: string | null;
  default_role: string | null;
  group_mappings: unknown[];
}

/** A self-signed certificate, made by openssl. */
function certificate(name: string, key: readonly string[] = ['-newkey', 'rsa:2048']): string {
  const folder = mkdtempSync(join(tmpdir(), 'palisade-cert-'));
  const out = join(folder, 'cert.pem');
  execFileSync('openssl', ['req', '-x509', ...key, '-nodes', '-keyout', join(folder, 'key.pem'), '-out', out, '-subj', `/CN=${name}`], {
    stdio: 'ignore',
  });
  return readFileSync(out, 'utf8');
}

/** Of an RSA key of 2,048 bits; it ended on 1 February 2020. */
const EXPIRED = `-----BEGIN CERTIFICATE-----
MIICmDCCAYACAQEwDQYJKoZIhvcNAQELBQAwEjEQMA4GA1UEAwwHZXhwaXJlZDAe
Fw0yMDAxMDEwMDAwMDBaFw0yMDAyMDEwMDAwMDBaMBIxEDAOBgNVBAMMB2V4cGly
ZWQwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQDBPw87ZEq0s7vEziDx
xlkz1rct48wKdMw2QECAMKzQsz77TW7EdK1Ctx28QVjnCZVKPbbE9ihN+lbmmazc
Tavwis5Hg6g0FylSYa5X511Y2ijygjS8Oo2N6uh4tLQvYpXnUAJweI+qzYGv/xUI
dhxW+za8Zhwpagllq8mAViymE0mbSYW7N2ZWy47gLEZe8B06am1C2zrn1njdja3o
/zQMHEm4RylgKifeOW9+V8xXLp2DDVn6mysqvUZYSLHXcE9jfAim8DiFv/Hfgi2w
kutOFA5szIKLojwCX+OtOx+BmzXQZWEDwHRBM045+yLxqJfgQJdh/18FSE4c0FeH
FHGhAgMBAAEwDQYJKoZIhvcNAQELBQADggEBAJ6hw2SWm737aglvs6dx4kFUDdzA
INcM7n/hp7AS+hfQysaRGNItNNm0g22u4e6DTwB8batk9q1I7sxxDcduNjADvvcE
t0jLvhMYZIKNg2VW7QB/2Rar4lkFX5ToR4l094AWf957MKI6jdghYXqW5tr8O7ZC
Fza+bYLOpwsHYMipnYO9qBimqYwsl6w/Fg5CLwNh25WDLQ+WEnLzyo/+OEUEDE7h
RVXcJ+Oo690OPnYJN4Rf9QLMbYIzHE7r7j7eCelQiCNfeH9MGV5TL4Bo7uJ2XaZ0
/W4Kph/tfx8nbm8r7Sxeua1IUSWvHnET8JZMYc3bazAeuMdv+VL1jJrYJDs=
-----END CERTIFICATE-----`;

// servers of its own, with other processes beside them
jest.setTimeout(600_000);

let own: OwnWorld;
let tenant: TestTenant;
let admin: Client;
let one: string;
let two: string;
beforeAll(async () => {
  own = await openOwnWorld({ env: { PUBLIC_URL: 'https://palisade.example', OUTBOUND_ALLOW: '127.0.0.0/8' } });
  [one, two] = [certificate('one'), certificate('two')];
});
beforeEach(async () => {
  tenant = await own.tenant();
  admin = await tenant.as('org_admin');
});
afterAll(() => own.close());

const headers = { origin: 'https://palisade.example' };
const get = async (client = admin) => (await client.call<Settings>('/api/v1/settings/sso')).body;
const put = (body: unknown, client = admin) => client.call<Settings>('/api/v1/settings/sso', { method: 'PUT', body, headers });
async function set(body: unknown, client = admin): Promise<Settings> {
  const answer = await put(body, client);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
}
/** The paths that a 422 names. */
async function refused(body: unknown, client = admin): Promise<string[]> {
  const answer = await put(body, client);
  expect(answer.status).toBe(422);
  return (answer.body as unknown as { detail: { path: string }[] }).detail.map(({ path }) => path);
}
const saml = (changes: Record<string, unknown> = {}) => ({
  enabled: true,
  idp_entity_id: 'https://idp.example/metadata',
  idp_sso_url: 'https://idp.example/sso',
  idp_certificates: [one],
  ...changes,
});
const oauth = (changes: Record<string, unknown> = {}) => ({
  enabled: true,
  issuer: 'https://accounts.example',
  client_id: 'client',
  client_secret: 'hush-hush-hush',
  ...changes,
});
const verify = () =>
  own.database
    .tenant(tenant.tenant._id)
    .collection(ssoSettings)
    .update({}, { $set: { verified_at: new Date() } });

describe('the settings of single sign-on', () => {
  it('are empty at first, and tell what the identity provider needs to know', async () => {
    const id = tenant.tenant._id;
    expect(await get()).toMatchObject({
      saml: null,
      oauth: null,
      group_mappings: [],
      default_role: null,
      require_sso: false,
      verified_at: null,
    });
    expect((await get()).service_provider).toEqual({
      saml: [
        {
          scope: 'tenant',
          entity_id: `https://palisade.example/api/auth/saml/${id}/metadata/`,
          acs_url: `https://palisade.example/api/auth/saml/${id}/acs/`,
          metadata_url: `https://palisade.example/api/auth/saml/${id}/metadata/`,
        },
        {
          scope: 'untenanted',
          entity_id: 'https://palisade.example/auth/saml/metadata',
          acs_url: 'https://palisade.example/auth/saml/callback',
          metadata_url: 'https://palisade.example/auth/saml/metadata',
        },
      ],
      oauth: [
        { scope: 'untenanted', redirect_uri: 'https://palisade.example/auth/oauth/callback' },
        { scope: 'tenant', redirect_uri: `https://palisade.example/api/auth/oauth/${id}/callback` },
      ],
      saml_login_url: `https://palisade.example/auth/saml/login?tenant_id=${id}`,
      oauth_login_url: `https://palisade.example/auth/oauth/login?tenant_id=${id}`,
    });
  });

  it('keep what a change leaves out, and never show or log the client secret', async () => {
    await set({ saml: saml() });
    for (const domain of ['example.com', 'other.example']) await verified(own, tenant.tenant, domain);
    const answer = await put({ oauth: oauth({ allowed_domains: ['Example.COM', 'example.com', 'other.example'] }) });
    expect(answer.body.saml).toMatchObject({ enabled: true, idp_entity_id: 'https://idp.example/metadata' });
    expect(answer.body.oauth).toEqual({
      enabled: true,
      issuer: 'https://accounts.example',
      client_id: 'client',
      allowed_domains: ['example.com', 'other.example'],
      callback: 'untenanted',
      attributes: { email: ['email'], first_name: ['given_name'], last_name: ['family_name'], groups: ['groups', 'roles'] },
    });
    const log = await admin.call('/api/v1/audit-logs?action=sso.update');
    for (const { text } of [answer, await admin.call('/api/v1/settings/sso'), log]) {
      expect(text).not.toContain('hush-hush-hush');
      expect(text).not.toContain('sealed');
    }
    expect(own.servers[0]!.output()).not.toContain('hush-hush-hush');
    const [row] = await own.database.tenant(tenant.tenant._id).collection(ssoSettings).find({});
    expect(JSON.stringify(row)).not.toContain('hush-hush-hush');
    expect((log.body['items'] as { detail: { changed: string[] } }[])[0]!.detail.changed).toEqual(['oauth']);
    expect((await set({ oauth: null })).oauth).toBeNull();
  });

  it('keep the client secret when it is left out, but for the present issuer only', async () => {
    await set({ oauth: oauth() });
    const { client_secret: _, ...without } = oauth();
    const secret = async () =>
      (await own.database.tenant(tenant.tenant._id).collection(ssoSettings).findOne({}))!.oauth!.client_secret_sealed;
    const before = await secret();
    await set({ oauth: { ...without, client_id: 'another' } });
    expect(await secret()).toBe(before);
    expect(await refused({ oauth: { ...without, issuer: 'https://collector.example' } })).toEqual(['oauth.client_secret']);
    await set({ oauth: oauth({ client_secret: 'another' }) });
    expect(await secret()).not.toBe(before);
  });

  it('show certificates by fingerprint, subject and expiry', async () => {
    const bare = two.replace(/-----[A-Z ]+-----/g, '');
    const { saml: shown } = await set({ saml: saml({ idp_certificates: [one, bare] }) });
    expect(shown!.idp_certificates.map(({ subject }) => subject)).toEqual(['CN=one', 'CN=two']);
    expect(shown!.idp_certificates[1]!.pem.trim()).toBe(two.trim());
    expect(shown!.idp_certificates[0]!.fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    expect(new Date(shown!.idp_certificates[0]!.expires_at).getTime()).toBeGreaterThan(Date.now());
  });

  it('refuse certificates that RSA-SHA256 signatures cannot be trusted with', async () => {
    const weak = certificate('weak', ['-newkey', 'rsa:1024']);
    const curve = certificate('curve', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']);
    for (const pem of [
      weak,
      curve,
      EXPIRED,
      'no certificate',
      `${one}${two}`,
      one.replace(/[A-Za-z]{9}/, 'AAAAAAAAA'),
      '-----BEGIN PRIVATE KEY-----',
    ])
      expect(await refused({ saml: saml({ idp_certificates: [one, pem] }) })).toEqual(['saml.idp_certificates.1']);
    expect(await refused({ saml: saml({ idp_certificates: [] }) })).toEqual(['saml.idp_certificates']);
    expect(await refused({ saml: saml({ idp_certificates: [one, two, one] }) })).toEqual(['saml.idp_certificates']);
    expect((await get()).saml).toBeNull();
  });

  it('keep a certificate that has expired since it was set, and take another one beside it', async () => {
    await set({ saml: saml() });
    await own.database
      .tenant(tenant.tenant._id)
      .collection(ssoSettings)
      .update({}, { $set: { 'saml.idp_certificates': [new X509Certificate(EXPIRED).toString()] } });
    const { saml: shown } = await set({ saml: saml({ idp_certificates: [EXPIRED, two] }) });
    expect(shown!.idp_certificates).toHaveLength(2);
    await set({ saml: saml({ idp_certificates: [two] }) });
    expect(await refused({ saml: saml({ idp_certificates: [EXPIRED, two] }) })).toEqual(['saml.idp_certificates.0']);
  });

  it.each([
    ['saml.idp_sso_url', { saml: { idp_sso_url: 'http://idp.example/sso' } }],
    ['saml.idp_sso_url', { saml: { idp_sso_url: 'javascript:alert(1)' } }],
    ['saml.idp_entity_id', { saml: { idp_entity_id: '' } }],
    ['oauth.issuer', { oauth: { issuer: 'http://8.8.8.8' } }],
    ['oauth.issuer', { oauth: { issuer: 'https://169.254.169.254' } }],
    ['oauth.issuer', { oauth: { issuer: 'https://a:b@accounts.example' } }],
    ['oauth.issuer', { oauth: { issuer: 'https://accounts.example/?x' } }],
    ['oauth.allowed_domains.0', { oauth: { allowed_domains: ['@example.com'] } }],
    ['oauth.allowed_domains.0', { oauth: { allowed_domains: ['*.example.com'] } }],
    ['group_mappings.0.role', { group_mappings: [{ group: 'g', role: 'org_admin', priority: 1 }] }],
    ['group_mappings.0.priority', { group_mappings: [{ group: 'g', role: 'viewer', priority: -1 }] }],
    ['group_mappings', { group_mappings: [1, 2].map((priority) => ({ group: 'g', role: 'viewer', priority })) }],
    ['default_role', { default_role: 'org_admin' }],
    ['default_role', { default_role: 'platform_admin' }],
  ])('refuse a wrong %s', async (path, changes: Record<string, unknown>) => {
    const body = {
      ...changes,
      ...('saml' in changes && { saml: saml(changes['saml'] as object as Record<string, unknown>) }),
      ...('oauth' in changes && { oauth: oauth(changes['oauth'] as object as Record<string, unknown>) }),
    };
    expect(await refused(body)).toEqual([path]);
  });

  it('allow what a loopback identity provider of local development needs', async () => {
    await set({ saml: saml({ idp_sso_url: 'http://127.0.0.1:8080/sso' }), oauth: oauth({ issuer: 'http://127.0.0.1:8080/realm' }) });
  });

  it('refuse plain http and private networks where no network is allowed', async () => {
    const world = await openWorld();
    const client = await (await world.tenant()).as('tenant_admin');
    const put = (issuer: string) => client.call('/api/v1/settings/sso', { method: 'PUT', body: { oauth: oauth({ issuer }) } });
    for (const issuer of ['http://accounts.example', 'http://127.0.0.1:8080', 'https://127.0.0.1', 'https://localhost', 'https://10.0.0.1'])
      expect([issuer, (await put(issuer)).status]).toEqual([issuer, 422]);
    expect((await put('https://accounts.example')).status).toBe(200);
    await world.close();
  });

  it('are for administrators', async () => {
    for (const role of ['analyst', 'viewer'] as const) {
      const client = await tenant.as(role);
      expect((await client.call('/api/v1/settings/sso')).status).toBe(403);
      expect((await put({ default_role: 'viewer' }, client)).status).toBe(403);
    }
    expect((await get(await tenant.as('tenant_admin'))).default_role).toBeNull();
  });

  it('need verifying again when people would come in another way, and not for a certificate beside the present one', async () => {
    await set({ saml: saml(), oauth: oauth() });
    const { client_secret: _, ...kept } = oauth();
    const changes: [Record<string, unknown>, boolean][] = [
      [{ default_role: 'viewer', group_mappings: [{ group: 'g', role: 'viewer', priority: 1 }] }, true],
      [{ saml: saml({ idp_certificates: [one, two] }) }, true],
      [{ saml: saml({ idp_certificates: [two] }) }, true],
      [{ saml: saml({ idp_certificates: [one] }) }, false],
      [{ saml: saml({ idp_sso_url: 'https://idp.example/sso2' }) }, false],
      [{ saml: saml({ idp_entity_id: 'https://other.example' }) }, false],
      [{ saml: saml({ attributes: { email: ['upn'] } }) }, false],
      [{ saml: saml({ enabled: false }) }, false],
      [{ oauth: { ...kept, client_id: 'other' } }, false],
      [{ oauth: { ...kept, allowed_domains: ['example.com'] } }, false],
    ];
    for (const [body, stays] of changes.slice(0, -1)) {
      await verify();
      expect([body, (await set(body)).verified_at !== null]).toEqual([body, stays]);
    }
    await set({ oauth: kept });
    await verified(own, tenant.tenant, 'example.com');
    await verify();
    expect((await set({ oauth: { ...kept, allowed_domains: ['example.com'] } })).verified_at).not.toBeNull();
  });

  it("say whether an org_admin stands behind the present values: not for a tenant_admin's, nor by a change beside them", async () => {
    const lesser = await tenant.as('tenant_admin');
    expect((await set({ saml: saml() }, lesser)).set_by_org_admin).toBe(false);
    expect((await set({ default_role: 'viewer' })).set_by_org_admin).toBe(false);
    expect((await set({ oauth: oauth() })).set_by_org_admin).toBe(false);
    expect((await set({ saml: saml(), oauth: oauth() })).set_by_org_admin).toBe(true);
    expect((await set({ default_role: null, group_mappings: [] }, lesser)).set_by_org_admin).toBe(true);
    expect((await set({ saml: saml({ idp_certificates: [one, two] }) }, lesser)).set_by_org_admin).toBe(false);
    expect((await set({ saml: saml({ idp_certificates: [one, two] }), oauth: oauth() })).set_by_org_admin).toBe(true);
    expect((await set({ saml: saml({ attributes: { email: ['displayName'] } }) }, lesser)).set_by_org_admin).toBe(false);
  });

  it('keep both of two changes at once', async () => {
    await Promise.all([set({ saml: saml() }), set({ oauth: oauth() }), set({ default_role: 'analyst' })]);
    expect(await get()).toMatchObject({ saml: { enabled: true }, oauth: { enabled: true }, default_role: 'analyst' });
  });
});

describe('Require SSO', () => {
  it('needs an enabled provider through which an administrator has signed in', async () => {
    expect(await refused({ require_sso: true })).toEqual(['require_sso']);
    await set({ saml: saml() });
    expect(await refused({ require_sso: true })).toEqual(['require_sso']);
    await verify();
    expect((await set({ require_sso: true })).require_sso).toBe(true);
  });

  it('ends the sessions that began without the provider, except the one that turns it on', async () => {
    await set({ saml: saml() });
    await verify();
    const others = [await tenant.as('analyst'), await tenant.as('tenant_admin')];
    const foreign = await (await own.tenant()).as('viewer');
    await set({ require_sso: true });
    for (const client of others) expect((await client.call('/api/v1/users/me')).status).toBe(401);
    for (const client of [admin, foreign]) expect((await client.call('/api/v1/users/me')).status).toBe(200);
    const { body } = await admin.call<{ items: { detail: unknown }[] }>('/api/v1/audit-logs?action=sso.update');
    expect(body.items[0]!.detail).toEqual({ changed: ['require_sso'], require_sso: true, set_by_org_admin: true, sessions_ended: 2 });
  });

  it('keeps the way in: no provider is removed, disabled or changed under it', async () => {
    await set({ saml: saml() });
    await verify();
    await set({ require_sso: true });
    for (const body of [
      { saml: null },
      { saml: saml({ enabled: false }) },
      { saml: saml({ idp_entity_id: 'x' }) },
      { saml: saml({ idp_certificates: [two] }) },
    ])
      expect(await refused(body)).toEqual(['input']);
    expect((await set({ saml: saml({ idp_certificates: [one, two] }) })).require_sso).toBe(true);
    expect(await set({ saml: null, require_sso: false })).toMatchObject({ saml: null, require_sso: false });
  });
});
