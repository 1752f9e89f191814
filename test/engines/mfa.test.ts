import { users } from '../../accounts/records.js';
import { sessions } from '../../accounts/session-record.js';
import { openMailCatcher, type MailCatcher } from '../support/mail-catcher.js';
import { earlyInStep, totpCode } from '../support/totp.js';
import { openOwnWorld, type OwnWorld } from '../support/own-world.js';
import { Client, type TestTenant } from '../support/world.js';

let mail: MailCatcher;
let world: OwnWorld;
let tenant: TestTenant;
beforeAll(async () => {
  mail = await openMailCatcher();
  world = await openOwnWorld({ env: { SMTP_URL: mail.url } });
});
afterAll(async () => {
  await world.close();
  await mail.close();
});
beforeEach(async () => {
  tenant = await world.tenant();
});

interface Enrollment {
  status: string;
  method: string;
  current_method: string;
  secret: string | null;
  otpauth_url: string | null;
  expires_in: number | null;
  recovery_codes: string[] | null;
  detail: { path: string; message: string }[];
}
const mfa = (client: Client, body: object) => client.call<Enrollment>('/api/v1/users/me/mfa', { body });
const policy = (client: Client, value?: string) =>
  client.call(`/api/v1/settings/mfa-policy`, value === undefined ? {} : { method: 'PUT', body: { policy: value } });
const me = async (client: Client) => (await client.call<{ mfa: string }>('/api/v1/users/me')).body.mfa;
const pathsOf = ({ status, body }: { status: number; body: Enrollment }) => ({ status, paths: body.detail?.map(({ path }) => path) });
const audited = async (action: string) => {
  const admin = await tenant.as('org_admin');
  const { body } = await admin.call<{ items: { result: string; detail: unknown; actor_email: string }[] }>(
    `/api/v1/audit-logs?action=${action}`,
  );
  return body.items.map(({ result, detail }) => ({ result, detail })).reverse();
};
/** Another session of the same person. */
async function another(client: Client): Promise<Client> {
  const { sessions: made, tokens } = world.auth.parts;
  const tenant_id = tenant.tenant._id;
  const row = await made.create({
    user_id: client.user!._id,
    tenant_id,
    membership_id: `${tenant_id}|${client.user!._id}`,
    method: 'password',
    second_factor: true,
    ip_address: '127.0.0.1',
    user_agent: 'jest',
  });
  const token = await tokens.issue({ session_id: row._id, user_id: client.user!._id, tenant_id });
  return new Client(world.url, `access_token=${token}`, client.user);
}
/** Sets up an authenticator app. The code is of the step before, so that two later ones are left. */
async function enrollTotp(client: Client): Promise<{ secret: string; recovery_codes: string[] }> {
  await earlyInStep();
  const { secret } = (await mfa(client, { method: 'totp' })).body;
  const { status, body, text } = await mfa(client, { method: 'totp', code: totpCode(secret!, new Date(), -1) });
  if (status !== 200) throw new Error(text);
  return { secret: secret!, recovery_codes: body.recovery_codes! };
}

describe('an authenticator app', () => {
  it('is set up in two steps, and nothing holds before the second', async () => {
    const viewer = await tenant.as('viewer');
    const begun = await mfa(viewer, { method: 'totp' });
    expect(begun.status).toBe(200);
    expect(begun.body).toEqual({
      status: 'pending',
      method: 'totp',
      current_method: 'none',
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      otpauth_url: expect.stringContaining(encodeURIComponent(viewer.user!.email)),
      expires_in: 600,
      recovery_codes: null,
    });
    expect(await me(viewer)).toBe('none');
    expect(pathsOf(await mfa(viewer, { method: 'totp', code: '000000' }))).toEqual({ status: 422, paths: ['code'] });
    const done = await mfa(viewer, { method: 'totp', code: totpCode(begun.body.secret!) });
    expect(done.body).toMatchObject({ status: 'active', method: 'totp', current_method: 'totp', secret: null });
    expect(done.body.recovery_codes).toHaveLength(10);
    expect(await me(viewer)).toBe('totp');
    expect(await audited('mfa.enroll')).toEqual([
      { result: 'failure', detail: { from: 'none', to: 'totp' } },
      { result: 'success', detail: { from: 'none', to: 'totp' } },
    ]);
    expect(JSON.stringify(await world.database.system(users).findOne({ _id: viewer.user!._id }))).not.toContain(begun.body.secret!);
  });

  it('is set up by the session that began', async () => {
    const viewer = await tenant.as('viewer');
    const other = await another(viewer);
    const { secret } = (await mfa(viewer, { method: 'totp' })).body;
    expect(pathsOf(await mfa(other, { method: 'totp', code: totpCode(secret!) }))).toEqual({ status: 422, paths: ['code'] });
    expect((await mfa(viewer, { method: 'totp', code: totpCode(secret!) })).status).toBe(200);
  });
});

describe('a change of the second factor', () => {
  it('takes a code of the present one', async () => {
    const viewer = await tenant.as('viewer');
    const { secret, recovery_codes } = await enrollTotp(viewer);
    const next = (await mfa(viewer, { method: 'totp' })).body.secret!;
    const code = totpCode(next);
    expect(pathsOf(await mfa(viewer, { method: 'totp', code }))).toEqual({ status: 422, paths: ['current_code'] });
    for (const current_code of ['000000', code, totpCode(secret, new Date(), -1)])
      expect(pathsOf(await mfa(viewer, { method: 'totp', code, current_code }))).toEqual({ status: 422, paths: ['current_code'] });
    const done = await mfa(viewer, { method: 'totp', code, current_code: totpCode(secret) });
    expect(done.body.status).toBe('active');
    expect(done.body.recovery_codes).not.toEqual(expect.arrayContaining([recovery_codes[0]]));
    expect((await audited('mfa.change')).at(-1)).toEqual({ result: 'success', detail: { from: 'totp', to: 'totp' } });

    const last = (await mfa(viewer, { method: 'totp' })).body.secret!;
    const body = { method: 'totp', code: totpCode(last) };
    expect((await mfa(viewer, { ...body, current_code: recovery_codes[0] })).status).toBe(422);
    expect((await mfa(viewer, { ...body, current_code: done.body.recovery_codes![0] })).status).toBe(200);
  });

  it('goes to codes by e-mail and back', async () => {
    const viewer = await tenant.as('viewer');
    const email = viewer.user!.email;
    const { secret } = await enrollTotp(viewer);
    expect((await mfa(viewer, { method: 'email' })).body).toMatchObject({ status: 'pending', current_method: 'totp' });
    const mailed = mail.codeFor(email);
    expect((await mfa(viewer, { method: 'email', code: '00000000', current_code: totpCode(secret) })).status).toBe(422);
    expect((await mfa(viewer, { method: 'email', code: mailed, current_code: totpCode(secret) })).body.status).toBe('active');
    expect(await me(viewer)).toBe('email');

    const next = (await mfa(viewer, { method: 'totp' })).body.secret!;
    const current_code = mail.codeFor(email);
    expect(current_code).not.toBe(mailed);
    expect((await mfa(viewer, { method: 'totp', code: totpCode(next), current_code: mailed })).status).toBe(422);
    expect((await mfa(viewer, { method: 'totp', code: totpCode(next), current_code })).body.status).toBe('active');
    expect(await me(viewer)).toBe('totp');
  });

  it('may remove it, unless role or policy ask for one', async () => {
    const viewer = await tenant.as('viewer');
    const { secret } = await enrollTotp(viewer);
    expect((await policy(await tenant.as('org_admin'), 'all')).status).toBe(200);
    expect(pathsOf(await mfa(viewer, { method: 'none', code: totpCode(secret) }))).toEqual({ status: 422, paths: ['method'] });
    expect((await policy(await tenant.as('org_admin'), 'none')).status).toBe(200);
    expect((await mfa(viewer, { method: 'none', code: '000000' })).status).toBe(422);
    expect((await mfa(viewer, { method: 'none', code: totpCode(secret) })).body).toMatchObject({ status: 'removed', recovery_codes: [] });
    expect(await me(viewer)).toBe('none');
    expect(pathsOf(await mfa(viewer, { method: 'none', code: '1' }))).toEqual({ status: 422, paths: ['method'] });
    const admin = await tenant.as('org_admin');
    const own = await enrollTotp(admin);
    expect(pathsOf(await mfa(admin, { method: 'none', code: totpCode(own.secret) }))).toEqual({ status: 422, paths: ['method'] });
  });
});

describe('the policy', () => {
  it('is read and set by administrators, audited, and tells who lacks a factor', async () => {
    const admin = await tenant.as('tenant_admin');
    const viewer = await tenant.as('viewer');
    await enrollTotp(viewer);
    await tenant.as('analyst');
    expect((await policy(admin)).body).toEqual({
      policy: 'none',
      always_required: ['platform_admin', 'org_admin'],
      users: 3,
      users_without_factor: 2,
      required_without_factor: 0,
    });
    expect((await policy(admin, 'admins')).body).toMatchObject({ policy: 'admins', required_without_factor: 1 });
    expect((await policy(admin, 'all')).body).toMatchObject({ policy: 'all', required_without_factor: 2 });
    expect((await policy(admin)).body).toMatchObject({ policy: 'all' });
    expect((await policy(viewer)).status).toBe(403);
    expect((await policy(admin, 'nobody')).status).toBe(422);
    expect(await audited('mfa.policy_update')).toEqual([
      { result: 'success', detail: { from: 'none', to: 'admins' } },
      { result: 'success', detail: { from: 'admins', to: 'all' } },
    ]);
  });

  it('is not set by who would be locked out by it; a second factor shown now is enough', async () => {
    const admin = await tenant.as('tenant_admin');
    await world.database.system(sessions).update({ user_id: admin.user!._id }, { $set: { second_factor: false } });
    const refused = await policy(admin, 'admins');
    expect(refused.status).toBe(422);
    expect(refused.body['detail']).toEqual([expect.objectContaining({ path: 'policy' })]);
    expect((await policy(admin, 'none')).status).toBe(200);
    await enrollTotp(admin);
    expect((await policy(admin, 'admins')).status).toBe(200);
    expect((await policy(admin)).status).toBe(200);
  });

  it('ends the sessions that have not shown what it asks for with their next call', async () => {
    const [admin, viewer] = [await tenant.as('tenant_admin'), await tenant.as('viewer')];
    await world.database.system(sessions).update({ user_id: viewer.user!._id }, { $set: { second_factor: false } });
    expect((await viewer.call('/api/v1/users/me')).status).toBe(200);
    await policy(admin, 'all');
    expect((await viewer.call('/api/v1/users/me')).status).toBe(401);
    expect((await admin.call('/api/v1/users/me')).status).toBe(200);
  });
});
