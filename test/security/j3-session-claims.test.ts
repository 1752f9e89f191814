import { signJws } from '../../kit/keys/strict-jws.js';
import { openWorld, type TestTenant, type World } from '../support/world.js';
import { encode, partsOf, ringOf, tokenOf } from './forging.js';
import { ENDED, expectAccepted, expectRefused } from './session-calls.js';

let world: World;
let token: string;
let other: TestTenant;
beforeAll(async () => {
  world = await openWorld();
  token = tokenOf((await (await world.tenant()).as('viewer')).cookie);
  other = await world.tenant();
});
afterAll(() => world.close());

describe('J3', () => {
  it.each([
    ['tenant_id', (): unknown => other.tenant._id],
    ['sub', (): unknown => 'usr_other'],
    ['sid', (): unknown => 'x'.repeat(32)],
    ['exp', (): unknown => 4_000_000_000],
    ['iat', (): unknown => 1],
  ] as const)('refuses another %s under the old signature', async (claim, value) => {
    const { raw, payload, signature } = partsOf(token);
    await expectRefused(world, `${raw.header}.${encode({ ...payload, [claim]: value() })}.${signature}`);
    await expectAccepted(world, token);
  });

  it('refuses claims that do not hold, although our own key has signed them', async () => {
    const { payload } = partsOf(token);
    const ring = await ringOf(world, 'session');
    const signWith = (claims: object): Promise<string> => signJws(ring, 'palisade-session+jws', { ...payload, ...claims });
    const now = Math.floor(Date.now() / 1000);
    await expectAccepted(world, await signWith({}));
    for (const claims of [{ iat: now - 901, exp: now - 1 }, { exp: now }]) await expectRefused(world, await signWith(claims), ENDED);
    const wrong = [
      { iat: now + 60, exp: now + 900 },
      { nbf: now + 600 },
      { exp: now + 90_000 },
      { iss: 'another' },
      { iss: undefined },
      { aud: 'engine:check' },
      { aud: ['palisade-session'] },
      { tenant_id: other.tenant._id },
      { tenant_id: null },
      { tenant_id: '' },
      { sub: { $ne: '' } },
      { role: 'org_admin' },
      { exp: undefined },
    ];
    for (const claims of wrong)
      await expectRefused(world, await signWith(claims), /^(Sign in first|Your session has ended: sign in again)$/);
  });

  it('refuses a token of another purpose', async () => {
    const { payload } = partsOf(token);
    await expectRefused(world, await signJws(await ringOf(world, 'session'), 'palisade-context+jws', payload));
    await expectRefused(world, await signJws(await ringOf(world, 'auth-context'), 'palisade-session+jws', payload));
  });
});
