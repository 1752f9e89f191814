import { randomUUID } from 'node:crypto';
import { acceptInvite } from '../../sign-in/invites/accept.js';
import { auditLog } from '../../kit/audit/audit.js';
import { invites, inviteRowId } from '../../accounts/invites.js';
import { memberships, users } from '../../accounts/records.js';
import { accept, cookieOf, GOOD_PASSWORD, invite, invited, tokenIn, type Invite } from '../support/invitations.js';
import { Client, openWorld, type TestTenant, type World } from '../support/world.js';

let world: World;
let tenant: TestTenant;
let admin: Client;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(async () => {
  tenant = await world.tenant();
  admin = await tenant.as('tenant_admin');
});
afterAll(() => world.close());

const address = () => `new-${randomUUID().slice(0, 8)}@invited.example`;
const body = (token: string) => ({ token, name: 'New Person', password: GOOD_PASSWORD });
const accountsOf = async (email: string) => ({
  accounts: await world.database.system(users).count({ email }),
  memberships: await world.database.tenant(tenant.tenant._id).collection(memberships).count({ email }),
});
const ONE = { accounts: 1, memberships: 1 };
const NONE = { accounts: 0, memberships: 0 };
const stateOf = async (id: string) =>
  (await admin.call<{ items: Invite[] }>('/api/v1/invites')).body.items.find((one) => one.id === id)?.state;

describe('P3', () => {
  it('a link makes one account and signs in; used again it is 410', async () => {
    const email = address();
    const { id, token } = await invited(admin, email, 'analyst');
    const first = await accept(world.anonymous, body(token));
    expect(first).toMatchObject({
      status: 200,
      body: { status: 'ok', user: { email }, tenant: { tenant_id: tenant.tenant._id }, role: 'analyst' },
    });
    const me = await new Client(world.url, cookieOf(first), null).call('/api/v1/users/me');
    expect(me).toMatchObject({ status: 200, body: { email, name: 'New Person', role: 'analyst' } });
    const second = await accept(world.anonymous, body(token));
    expect(second).toMatchObject({ status: 410, body: { error_code: 'GONE' } });
    expect(cookieOf(second)).toBeNull();
    expect(await accountsOf(email)).toEqual(ONE);
    expect(await stateOf(id)).toBe('accepted');
  });

  it('accepted 20 times at once makes exactly one account, one membership and one session; the others are 410', async () => {
    const email = address();
    const { token } = await invited(admin, email);
    const answers = await Promise.all(Array.from({ length: 20 }, () => accept(world.anonymous, body(token))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 410)]);
    expect(answers.filter((answer) => cookieOf(answer) !== null)).toHaveLength(1);
    expect(await accountsOf(email)).toEqual(ONE);
    const entries = await world.database.tenant(tenant.tenant._id).collection(auditLog).find({ actor_email: email });
    expect(entries.map(({ action }) => action).sort()).toEqual(['invite.accept', 'role.change', 'user.login']);
  });

  it('a tampered token is refused and uses nothing up', async () => {
    const email = address();
    const { token } = await invited(admin, email);
    const other = await invited(admin, address());
    const [head, payload, signature] = token.split('.') as [string, string, string];
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    const withClaims = (changes: object) =>
      `${head}.${Buffer.from(JSON.stringify({ ...claims, ...changes })).toString('base64url')}.${signature}`;
    const header = (changes: object) =>
      Buffer.from(JSON.stringify({ ...(JSON.parse(Buffer.from(head, 'base64url').toString()) as object), ...changes })).toString(
        'base64url',
      );
    const session = await world.auth.parts.tokens.issue({ session_id: 'x'.repeat(32), user_id: 'usr', tenant_id: tenant.tenant._id });
    const reset = await world.auth.parts.links.issue(
      'password-reset',
      { subject: claims['sub'] as string, tenant_id: tenant.tenant._id, version: '1' },
      new Date(Date.now() + 3_600_000),
    );
    const forgeries = [
      withClaims({ sub: other.id }),
      withClaims({ exp: Number(claims['exp']) + 1_000_000 }),
      withClaims({ version: '2' }),
      withClaims({ tenant_id: 'another' }),
      `${head}.${payload}.${other.token.split('.')[2]}`,
      `${head}.${payload}.`,
      `${head}.${payload}`,
      `${header({ alg: 'none' })}.${payload}.`,
      `${header({ alg: 'HS256' })}.${payload}.${signature}`,
      `${header({ kid: 'link.999' })}.${payload}.${signature}`,
      `${header({ kid: '../../dev/null' })}.${payload}.${signature}`,
      session,
      reset,
      'x',
      '.'.repeat(100),
      'a'.repeat(8_000),
    ];
    for (const forged of forgeries) {
      const answer = await accept(world.anonymous, body(forged));
      expect({ forged, status: answer.status, code: answer.body['error_code'] }).toEqual({ forged, status: 422, code: 'VALIDATION_ERROR' });
      expect(answer.text).not.toContain(payload);
    }
    expect(await accountsOf(email)).toEqual(NONE);
    expect((await accept(world.anonymous, body(token))).status).toBe(200);
  });

  it('after 72 hours it is 410; reissued, the new link works for 72 hours from then and the old one never again', async () => {
    const email = address();
    const { id, token } = await invited(admin, email);
    const late = new Date(Date.now() - 1_000);
    const rows = world.database.tenant(tenant.tenant._id).collection(invites);
    await rows.update({ _id: inviteRowId(tenant.tenant._id, id) }, { $set: { expires_at: late } });
    expect((await accept(world.anonymous, body(token))).status).toBe(410);
    expect(await stateOf(id)).toBe('expired');
    expect((await admin.call<{ total: number }>('/api/v1/invites?state=expired')).body.total).toBe(1);
    expect((await admin.call<{ total: number }>('/api/v1/invites?state=pending')).body.total).toBe(0);

    const before = Date.now();
    const again = await admin.call<Invite>(`/api/v1/invites/${id}/reissue`, { method: 'POST' });
    expect(again).toMatchObject({ status: 200, body: { id, email, state: 'pending' } });
    const life = Date.parse(again.body.expires_at) - before;
    expect(life).toBeGreaterThan(72 * 3_600_000 - 60_000);
    expect(life).toBeLessThan(72 * 3_600_000 + 60_000);
    expect((await accept(world.anonymous, body(token))).status).toBe(410);
    expect(await accountsOf(email)).toEqual(NONE);
    expect((await accept(world.anonymous, body(tokenIn(again.body.link!)))).status).toBe(200);
    expect(await accountsOf(email)).toEqual(ONE);
  });

  it('the time within the token counts as well as that of the invitation', async () => {
    const { id } = await invited(admin, address());
    const claims = { subject: id, tenant_id: tenant.tenant._id, version: '1' };
    const at = (milliseconds: number) => world.auth.parts.links.issue('invite', claims, new Date(Date.now() + milliseconds));
    expect((await accept(world.anonymous, body(await at(-1_000)))).status).toBe(410);
    expect((await accept(world.anonymous, body(await at(60_000)))).status).toBe(200);
  });

  it('after revocation it is 410, and it cannot be reissued', async () => {
    const email = address();
    const { id, token } = await invited(admin, email);
    expect((await admin.call(`/api/v1/invites/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await accept(world.anonymous, body(token))).status).toBe(410);
    expect((await admin.call(`/api/v1/invites/${id}/reissue`, { method: 'POST' })).status).toBe(409);
    expect((await admin.call(`/api/v1/invites/${id}`, { method: 'DELETE' })).status).toBe(409);
    expect(await accountsOf(email)).toEqual(NONE);
    expect((await invite(admin, email)).status).toBe(201);
  });

  it('is 410 when who invited was removed or demoted; another administrator can give a new link', async () => {
    const second = await (async () => {
      const { token } = await invited(admin, address(), 'tenant_admin');
      const answer = await accept(world.anonymous, body(token));
      return { client: new Client(world.url, cookieOf(answer), null), id: (answer.body['user'] as { user_id: string }).user_id };
    })();
    const [one, two] = [await invited(second.client, address()), await invited(second.client, address())];
    expect((await accept(world.anonymous, body(one.token))).status).toBe(200);
    const demoted = await admin.call(`/api/v1/users/${second.id}/role`, { method: 'PATCH', body: { role: 'viewer' } });
    expect(demoted.status).toBe(200);
    expect((await accept(world.anonymous, body(two.token))).status).toBe(410);
    expect((await admin.call(`/api/v1/users/${second.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await accept(world.anonymous, body(two.token))).status).toBe(410);
    const again = await admin.call<Invite>(`/api/v1/invites/${two.id}/reissue`, { method: 'POST' });
    expect((await accept(world.anonymous, body(tokenIn(again.body.link!)))).status).toBe(200);
  });

  it('is 410 when who invited is removed at the moment of acceptance', async () => {
    const email = address();
    const owner = await tenant.as('org_admin');
    const { id, token } = await invited(admin, email);
    const { parts } = world.auth;
    const transaction = async (work: Parameters<typeof parts.database.transaction>[0]) => {
      expect((await owner.call(`/api/v1/users/${admin.user!._id}`, { method: 'DELETE' })).status).toBe(204);
      return parts.database.transaction(work);
    };
    const database = Object.create(parts.database, { transaction: { value: transaction } }) as typeof parts.database;
    const accepted = acceptInvite({ ...parts, database }, { ip_address: '192.0.2.1', user_agent: '' }, body(token), null);
    await expect(accepted).rejects.toMatchObject({ code: 'GONE' });
    expect(await accountsOf(email)).toEqual(NONE);
    const listed = await owner.call<{ items: Invite[] }>('/api/v1/invites');
    expect(listed.body.items.find((one) => one.id === id)?.state).toBe('pending');
  });

  it('opening the page uses nothing up, and its form accepts', async () => {
    const email = address();
    const { token } = await invited(admin, email);
    for (let times = 0; times < 3; times++) {
      const page = await world.anonymous.call(`/auth/invite?token=${token}`);
      expect(page.status).toBe(200);
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(page.text).not.toContain('<script');
      expect(page.text).toContain(email);
    }
    const form = (fields: Record<string, string>, headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' }) =>
      world.anonymous.call('/auth/invite', {
        raw: new URLSearchParams(fields).toString(),
        headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded', ...headers },
      });
    const foreign = await form(body(token), { 'sec-fetch-site': 'cross-site' });
    expect([foreign.status, cookieOf(foreign)]).toEqual([403, null]);
    const weak = await form({ ...body(token), password: 'too short' });
    expect([weak.status, cookieOf(weak)]).toEqual([422, null]);
    expect(weak.text).toContain('at least 12 characters');
    expect(await accountsOf(email)).toEqual(NONE);
    const done = await form(body(token));
    expect([done.status, done.headers.get('location')]).toEqual([302, '/']);
    expect((await new Client(world.url, cookieOf(done), null).call('/api/v1/users/me')).status).toBe(200);
    const again = await form(body(token));
    expect([again.status, again.headers.get('content-type')]).toEqual([410, 'text/html; charset=utf-8']);
    expect((await world.anonymous.call(`/auth/invite?token=${token}`)).status).toBe(410);
    expect((await world.anonymous.call('/auth/invite?token=nothing')).status).toBe(422);
    expect((await world.anonymous.call('/auth/invite')).status).toBe(422);
  });
});
