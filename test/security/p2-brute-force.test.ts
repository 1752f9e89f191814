import { hashPassword } from '../../sign-in/password.js';
import { users } from '../../accounts/records.js';
import { openMailCatcher, type MailCatcher } from '../support/mail-catcher.js';
import { PASSWORD, memberOf, signIn, verify } from '../support/sign-in.js';
import { TOTP_SECRET, totpCode } from '../support/totp.js';
import { openOwnWorld, type OwnWorld } from '../support/own-world.js';
import { type Client, type TestTenant } from '../support/world.js';

let mail: MailCatcher;
let world: OwnWorld;
let tenant: TestTenant;
/** One caller at each of two servers over one store. */
let at: Client[];
beforeAll(async () => {
  mail = await openMailCatcher();
  world = await openOwnWorld({ servers: 2, env: { SMTP_URL: mail.url } });
  tenant = await world.tenant();
  at = [0, 1].map((server) => world.at(world.anonymous, server));
});
afterAll(async () => {
  await world.close();
  await mail.close();
});

const WITH_TOTP = { mfa: 'totp', totp_secret: TOTP_SECRET } as const;
const LIMIT = 10;
const other = (i: number) => at[i % 2]!;
const challengeOf = async (email: string, i = 0) => (await signIn(other(i), email)).body.challenge_id;
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();
/** Fifteen wrong codes at once, each in a sign-in of its own, at both servers. */
async function guess(email: string) {
  const ids: string[] = [];
  for (let i = 0; i < 15; i++) ids.push(await challengeOf(email, i));
  return Promise.all(ids.map((id, i) => verify(other(i), id, '000000')));
}

describe('P2', () => {
  it('ends guessing at a password after ten failures, at all servers together, also for the right one', async () => {
    await memberOf(world, tenant, 'password@p2.example', 'viewer');
    await memberOf(world, tenant, 'left-alone@p2.example', 'viewer');
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => signIn(other(i), 'password@p2.example', 'wrong')));
    expect(statuses(answers)).toEqual([...Array<number>(LIMIT).fill(401), ...Array<number>(LIMIT).fill(429)]);
    for (const client of at) {
      const refused = await signIn(client, 'password@p2.example');
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await signIn(client, 'left-alone@p2.example')).body.status).toBe('ok');
    }
  });

  it('ends guessing at an authenticator app, however many sign-ins are begun, also for the right code', async () => {
    await memberOf(world, tenant, 'totp@p2.example', 'org_admin', WITH_TOTP);
    await memberOf(world, tenant, 'right@p2.example', 'org_admin', WITH_TOTP);
    expect(statuses(await guess('totp@p2.example'))).toEqual([...Array<number>(LIMIT).fill(401), ...Array<number>(5).fill(429)]);
    for (const i of [0, 1]) {
      const refused = await verify(other(i), await challengeOf('totp@p2.example'), totpCode(TOTP_SECRET));
      expect(refused.status).toBe(429);
      expect(refused.headers.get('set-cookie')).toBeNull();
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await verify(at[1]!, await challengeOf('right@p2.example'), totpCode(TOTP_SECRET))).body.status).toBe('ok');
  });

  it('ends guessing at a mailed code, and kills the code after five tries', async () => {
    await memberOf(world, tenant, 'mail@p2.example', 'viewer', { mfa: 'email' });
    const challenge_id = await challengeOf('mail@p2.example');
    const send = (id: string, i = 0) => other(i).call('/api/auth/mfa/send', { body: { challenge_id: id } });
    expect((await send(challenge_id)).status).toBe(200);
    const code = mail.codeFor('mail@p2.example');
    const wrong = code === '00000000' ? '11111111' : '00000000';
    for (let i = 0; i < 5; i++) expect((await verify(other(i), challenge_id, wrong)).status).toBe(401);
    expect((await verify(at[0]!, challenge_id, code)).status).toBe(401);

    const next = await challengeOf('mail@p2.example');
    await send(next, 1);
    expect((await verify(at[0]!, next, mail.codeFor('mail@p2.example'))).body.status).toBe('ok');

    const more = await challengeOf('mail@p2.example');
    await send(more);
    for (let i = 0; i < 4; i++) expect((await verify(other(i), more, wrong)).status).toBe(401);
    expect((await verify(at[1]!, more, mail.codeFor('mail@p2.example'))).status).toBe(429);
  });

  it('takes a code once, in all sign-ins and at all servers', async () => {
    await memberOf(world, tenant, 'reuse@p2.example', 'org_admin', WITH_TOTP);
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) ids.push(await challengeOf('reuse@p2.example', i));
    const code = totpCode(TOTP_SECRET);
    const answers = await Promise.all(ids.map((id, i) => verify(other(i), id, code)));
    expect(statuses(answers)).toEqual([200, 401, 401, 401]);
    const last = await challengeOf('reuse@p2.example');
    expect((await verify(at[1]!, last, code)).status).toBe(401);
    expect((await verify(at[0]!, last, totpCode(TOTP_SECRET, new Date(), 1))).body.status).toBe('ok');
  });

  it('ends guessing at the present factor before a change of it, in the same count as at sign-in', async () => {
    const viewer = await tenant.as('viewer');
    const set = (client: Client, body: object) => client.call<{ secret: string }>('/api/v1/users/me/mfa', { body });
    const { secret } = (await set(viewer, { method: 'totp' })).body;
    expect((await set(viewer, { method: 'totp', code: totpCode(secret) })).status).toBe(200);
    const tries = Array.from({ length: 12 }, (_, i) => set(world.at(viewer, i % 2), { method: 'none', code: '000000' }));
    expect(statuses(await Promise.all(tries))).toEqual([...Array<number>(LIMIT).fill(422), 429, 429]);
    expect((await set(viewer, { method: 'none', code: totpCode(secret, new Date(), 1) })).status).toBe(429);
    await world.database.system(users).update({ _id: viewer.user!._id }, { $set: { password_hash: await hashPassword(PASSWORD) } });
    const { challenge_id } = (await signIn(at[0]!, viewer.user!.email)).body;
    expect((await verify(at[0]!, challenge_id, totpCode(secret, new Date(), 1))).status).toBe(429);
  });
});
