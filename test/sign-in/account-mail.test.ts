import { setTimeout as sleep } from 'node:timers/promises';
import { hashPassword } from '../../sign-in/index.js';
import { auditLog } from '../../kit/audit/audit.js';
import { jobs } from '../../kit/work/jobs.js';
import { tenants, users } from '../../accounts/records.js';
import { accept, GOOD_PASSWORD, invite, tokenIn } from '../support/invitations.js';
import { openMailbox, type Mailbox, type ReceivedMail } from '../support/mailbox.js';
import { openOwnWorld, type OwnWorld } from '../support/own-world.js';
import { type Client, type TestTenant } from '../support/world.js';

const OLD_PASSWORD = 'nine quiet lanterns';
const PUBLIC_URL = 'https://palisade.example';

let mailbox: Mailbox;
let world: OwnWorld;
let tenant: TestTenant;
beforeAll(async () => {
  mailbox = await openMailbox();
  world = await openOwnWorld({ env: { SMTP_URL: mailbox.url, PUBLIC_URL } });
  tenant = await world.tenant();
});
afterAll(async () => {
  await world.close();
  await mailbox.close();
});

const linkIn = ({ text }: ReceivedMail): string => /https?:\/\/\S+/.exec(text)![0];
const post = (path: string, body: Record<string, unknown>) => world.anonymous.call(path, { body });
const signIn = (email: string, password: string) => post('/api/auth/login', { email, password });

/** What a browser sends from a page of ours. */
const form = (path: string, fields: Record<string, string>) =>
  world.anonymous.call(path, {
    raw: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
  });

/** A member with a password, signed in, in a tenant of their own. */
async function member(): Promise<Client & { admin: Promise<Client> }> {
  const home = await world.tenant();
  const client = await home.as('analyst');
  await world.database.system(users).update({ _id: client.user!._id }, { $set: { password_hash: await hashPassword(OLD_PASSWORD) } });
  return Object.assign(client, { admin: home.as('tenant_admin') });
}

describe('an invitation by mail', () => {
  it('arrives with a link that works, and the link is nowhere else', async () => {
    const admin = await tenant.as('tenant_admin');
    const made = await invite(admin, 'ada@invited.example', 'analyst');
    expect(made).toMatchObject({ status: 201, body: { email: 'ada@invited.example', state: 'pending', link: null } });
    const mail = await mailbox.mailTo('ada@invited.example');
    expect(mail.subject).toBe('Your invitation to Test on Palisade');
    const link = linkIn(mail);
    expect(link.startsWith(`${PUBLIC_URL}/auth/invite?token=`)).toBe(true);
    const token = tokenIn(link);

    const listed = await admin.call('/api/v1/invites');
    const stored = await world.database.tenant(tenant.tenant._id).collection(jobs).find({});
    const audited = await world.database.tenant(tenant.tenant._id).collection(auditLog).find({});
    const signature = token.split('.')[2]!;
    for (const text of [listed.text, JSON.stringify(stored), JSON.stringify(audited), world.servers.map(({ output }) => output()).join()])
      expect(text).not.toContain(signature);
    expect(audited.map(({ action, target_email, role }) => ({ action, target_email, role }))).toContainEqual({
      action: 'user.invite',
      target_email: 'ada@invited.example',
      role: 'analyst',
    });

    expect((await accept(world.anonymous, { token, name: 'Ada', password: GOOD_PASSWORD })).status).toBe(200);
    expect((await signIn('ada@invited.example', GOOD_PASSWORD)).status).toBe(200);
  });

  it('keeps its page, and what was typed, when something is missing', async () => {
    await invite(await tenant.as('tenant_admin'), 'bob@invited.example', 'analyst');
    const token = tokenIn(linkIn(await mailbox.mailTo('bob@invited.example')));
    const nameless = await form('/auth/invite', { token, name: '  ', password: GOOD_PASSWORD });
    expect([nameless.status, nameless.text.includes('Enter your name.'), nameless.text.includes('action="/auth/invite"')]).toEqual([
      422,
      true,
      true,
    ]);
    const weak = await form('/auth/invite', { token, name: 'Bob "B"', password: '' });
    expect([weak.status, weak.text.includes('value="Bob &#34;B&#34;"')]).toEqual([422, true]);
    expect((await form('/auth/invite', { token, name: 'Bob', password: GOOD_PASSWORD })).status).toBe(302);
  });
});

describe('resetting a password', () => {
  it('a link by mail sets a new one, once; all sessions end, and nobody is signed in by it', async () => {
    const client = await member();
    const { email } = client.user!;
    expect((await client.call('/api/v1/users/me')).status).toBe(200);
    expect(await post('/api/auth/password/forgot', { email })).toMatchObject({ status: 202, body: { status: 'accepted' } });
    const link = linkIn(await mailbox.mailTo(email));
    expect(link.startsWith(`${PUBLIC_URL}/auth/password/reset?token=`)).toBe(true);
    const token = tokenIn(link);

    const page = await world.anonymous.call(`/auth/password/reset?token=${token}`);
    expect([page.status, page.text.includes(email)]).toEqual([200, true]);
    expect((await post('/api/auth/password/reset', { token, password: 'password1234' })).status).toBe(422);
    expect((await client.call('/api/v1/users/me')).status).toBe(200);

    const done = await post('/api/auth/password/reset', { token, password: GOOD_PASSWORD });
    expect([done.status, done.headers.get('set-cookie')]).toEqual([204, null]);
    expect((await client.call('/api/v1/users/me')).status).toBe(401);
    expect((await signIn(email, OLD_PASSWORD)).status).toBe(401);
    expect((await signIn(email, GOOD_PASSWORD)).status).toBe(200);
    expect((await post('/api/auth/password/reset', { token, password: 'another fine password' })).status).toBe(410);
    expect((await world.anonymous.call(`/auth/password/reset?token=${token}`)).status).toBe(410);
    expect((await mailbox.mailTo(email, 1)).subject).toBe('Your Palisade password was changed');
    const audited = await (await client.admin).call<{ items: object[] }>('/api/v1/audit-logs?action=user.password_reset');
    expect(audited.body.items).toEqual([expect.objectContaining({ actor_email: email, result: 'success' })]);
  });

  it('ten uses of a link at once set one password', async () => {
    const client = await member();
    const { email } = client.user!;
    await post('/api/auth/password/forgot', { email });
    const token = tokenIn(linkIn(await mailbox.mailTo(email)));
    const passwords = Array.from({ length: 10 }, (_, n) => `a password numbered ${n}`);
    const answers = await Promise.all(passwords.map((password) => post('/api/auth/password/reset', { token, password })));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array.from({ length: 9 }, () => 410)]);
    expect((await signIn(email, passwords[answers.findIndex(({ status }) => status === 204)]!)).status).toBe(200);
  });

  it('accounts that are unknown, disabled, without a password or of single sign-on get the same answer and no mail', async () => {
    const [disabled, passwordless, sso, usual] = [
      await member(),
      await (await world.tenant()).as('viewer'),
      await member(),
      await member(),
    ];
    await world.database.system(users).update({ _id: disabled.user!._id }, { $set: { state: 'disabled' } });
    const ssoTenant = (await sso.call<{ tenant_id: string }>('/api/v1/users/me')).body.tenant_id;
    await world.database
      .tenant(ssoTenant)
      .collection(tenants)
      .update({}, { $set: { require_sso: true } });
    const silent = ['nobody@test.example', ...[disabled, passwordless, sso].map(({ user }) => user!.email)];
    const { headers: _, ...expected } = await post('/api/auth/password/forgot', { email: usual.user!.email });
    for (const email of silent) {
      const { headers: _headers, ...answer } = await post('/api/auth/password/forgot', { email });
      expect(answer).toEqual(expected);
    }
    await mailbox.mailTo(usual.user!.email);
    await sleep(500);
    expect(mailbox.mails.filter(({ to }) => to.some((address) => silent.includes(address)))).toEqual([]);
  });

  it('is limited for each address, known or not', async () => {
    for (const email of ['nobody-there@test.example', (await member()).user!.email]) {
      const statuses: number[] = [];
      for (let times = 0; times < 4; times++) statuses.push((await post('/api/auth/password/forgot', { email })).status);
      expect(statuses).toEqual([202, 202, 202, 429]);
    }
  });

  it('has pages that work without scripts', async () => {
    const { email } = (await member()).user!;
    expect((await world.anonymous.call('/auth/password/forgot')).text).toContain('<form method="post" action="/auth/password/forgot">');
    expect((await form('/auth/password/forgot', { email })).status).toBe(200);
    const token = tokenIn(linkIn(await mailbox.mailTo(email)));
    const weak = await form('/auth/password/reset', { token, password: 'short' });
    expect([weak.status, weak.text.includes('The password must have at least 12 characters.')]).toEqual([422, true]);
    const endless = await form('/auth/password/reset', { token, password: 'long '.repeat(300) });
    expect([endless.status, endless.text.includes('action="/auth/password/reset"')]).toEqual([422, true]);
    const done = await form('/auth/password/reset', { token, password: GOOD_PASSWORD });
    expect([done.status, done.text.includes('<a href="/auth/login">')]).toEqual([200, true]);
    expect((await signIn(email, GOOD_PASSWORD)).status).toBe(200);
  });
});
