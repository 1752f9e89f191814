import { PASSWORD, memberOf, signIn } from '../support/sign-in.js';
import { TOTP_SECRET } from '../support/totp.js';
import { openOwnWorld, type OwnWorld } from '../support/own-world.js';

let world: OwnWorld;
beforeAll(async () => {
  world = await openOwnWorld({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const tenant = await world.tenant();
  await memberOf(world, tenant, 'existing@p1.example', 'viewer');
  await memberOf(world, tenant, 'second-step@p1.example', 'org_admin', { mfa: 'totp', totp_secret: TOTP_SECRET });
  await memberOf(world, tenant, 'sso-only@p1.example', 'viewer', { password_hash: null });
  await memberOf(world, tenant, 'locked@p1.example', 'viewer', { state: 'disabled' });
});
afterAll(() => world.close());
jest.setTimeout(600_000);

const KINDS = ['existing', 'second-step', 'unknown', 'sso-only', 'locked'] as const;
/** Each try from another address, so that no address is over its limit. */
let address = 0;
const attempt = (kind: string, password: string) => {
  address++;
  return signIn(world.anonymous, `${kind}@p1.example`, password, { 'x-forwarded-for': `198.51.${address >> 8}.${address & 255}` });
};
const PASSING = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

describe('P1', () => {
  it('refuses an existing, unknown, SSO-only and locked account with the same status, body and headers', async () => {
    const answers = [];
    for (const kind of KINDS) {
      const { status, text, headers } = await attempt(kind, 'wrong');
      answers.push({ status, text, headers: [...headers].filter(([name]) => !PASSING.includes(name)) });
    }
    expect(answers[0]!.status).toBe(401);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  it('refuses them in the same time, within noise', async () => {
    const times = new Map<string, number[]>(KINDS.map((kind) => [kind, []]));
    // answers leave on a beat of 250 ms: the fastest of each kind is on the same one
    const spread = () => {
      const fastest = [...times.values()].map((all) => Math.min(...all));
      return Math.max(...fastest) - Math.min(...fastest);
    };
    // interleaved, so that what else the machine does falls on all alike; a busy one takes more tries, of which an account has ten
    for (let round = 0; round < 4 || (round < 8 && spread() >= 125); round++)
      for (const kind of KINDS) {
        const began = performance.now();
        expect((await attempt(kind, 'wrong')).status).toBe(401);
        times.get(kind)!.push(performance.now() - began);
      }
    expect(spread()).toBeLessThan(125);
  });

  it('refuses an account that nobody may sign in to, right password or not, and lets the others in', async () => {
    for (const kind of ['sso-only', 'locked', 'unknown'])
      expect((await attempt(kind, PASSWORD)).text).toBe((await attempt(kind, 'wrong')).text);
    expect((await attempt('existing', PASSWORD)).body.status).toBe('ok');
    expect((await attempt('second-step', PASSWORD)).body.status).toBe('mfa_required');
  });

  it('refuses an existing and an unknown account alike once they are guessed at too often', async () => {
    const ends = [];
    for (const kind of ['guessed', 'existing']) {
      const answers = [];
      for (let i = 0; i < 12; i++) answers.push(await attempt(kind, 'wrong'));
      ends.push(answers.at(-1)!);
    }
    expect(ends[0]!.status).toBe(429);
    const shape = (text: string) => text.replace(/"retry_after":\d+/, '');
    expect(shape(ends[0]!.text)).toBe(shape(ends[1]!.text));
  });
});
