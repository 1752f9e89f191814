import type { Role } from '../../schema/permissions.js';
import { finishSignIn } from '../../sign-in/finish-sign-in.js';
import type { SignedIn } from '../../sign-in/signed-in.js';
import { findMembership, homesOf } from '../../sign-in/homes.js';
import { verifySecondStep } from '../../sign-in/second-step/verify.js';
import { tenants } from '../../accounts/records.js';
import { createTenant } from '../../accounts/seed.js';
import { sessions } from '../../accounts/session-record.js';
import { TOTP_SECRET, totpCode } from '../support/totp.js';
import { createWorld, type World } from './world.js';

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

const client = { ip_address: '192.0.2.1', user_agent: 'browser' };
const WITH_TOTP = { mfa: 'totp', totp_secret: TOTP_SECRET } as const;

/** A sign-in through the identity provider of the first tenant. */
async function throughProvider(role: Role, second_factor: boolean, input = {}) {
  const user = await world.member(`${role}@example.com`, role, undefined, input);
  const homes = (await homesOf(world.auth.parts, user)).filter(({ tenant }) => tenant.tenant_id === world.first.tenant_id);
  const signedIn: SignedIn = { user, homes, method: 'saml', second_factor, sso_tenant_id: world.first.tenant_id };
  return finishSignIn(world.auth.parts, client, signedIn);
}

test.each(['org_admin', 'tenant_admin', 'viewer'] as const)(
  'a second factor that the provider vouches for is enough for a %s, also for one who has a factor here',
  async (role) => {
    await world.database.system(tenants).update({ _id: world.first.tenant_id }, { $set: { mfa_policy: 'all' } });
    const { result, token } = await throughProvider(role, true, WITH_TOTP);
    expect(result.status).toBe('ok');
    expect((await world.whoami(token!)).statusCode).toBe(200);
  },
);

test("the tenant's policy trusts the tenant's provider", async () => {
  await world.database.system(tenants).update({ _id: world.first.tenant_id }, { $set: { mfa_policy: 'all' } });
  const { result, token } = await throughProvider('analyst', false);
  expect(result.status).toBe('ok');
  expect((await world.whoami(token!)).statusCode).toBe(200);
});

test("another tenant's policy does not", async () => {
  await world.database.system(tenants).update({ _id: world.second.tenant_id }, { $set: { mfa_policy: 'all' } });
  const { token } = await throughProvider('tenant_admin', false);
  const [session] = await world.database.system(sessions).find({});
  await world.database.system(sessions).update({ _id: session!._id }, { $set: { sso_tenant_id: world.second.tenant_id } });
  await world.database.system(tenants).update({ _id: world.first.tenant_id }, { $set: { mfa_policy: 'admins' } });
  expect((await world.whoami(token!)).statusCode).toBe(401);
});

test('so does one whose membership is in another tenant of the organization', async () => {
  const user = await world.member('wide@example.com', 'org_admin', undefined, WITH_TOTP);
  const { organization_id } = world.first;
  const tenant = await createTenant(world.seed, { organization_id, name: 'Sister', plan: 'growth' });
  const membership = (await findMembership(world.auth.parts, user, tenant))!;
  const homes = [{ membership, tenant }];
  const { result } = await finishSignIn(world.auth.parts, client, {
    user,
    homes,
    method: 'saml',
    second_factor: false,
    sso_tenant_id: tenant.tenant_id,
  });
  const challenge_id = 'challenge_id' in result ? result.challenge_id : '';
  const done = await verifySecondStep(world.auth.parts, client, { challenge_id, code: totpCode(TOTP_SECRET, world.clock.now()) });
  expect(done.result).toMatchObject({ status: 'ok', role: 'org_admin', tenant: { tenant_id: tenant.tenant_id } });
  expect((await world.whoami(done.token!)).statusCode).toBe(200);
});

test('an org_admin whose provider names no second factor takes the second step here, and stays in that tenant', async () => {
  const { result, token } = await throughProvider('org_admin', false, WITH_TOTP);
  expect(token).toBeNull();
  expect(result).toMatchObject({ status: 'mfa_required', methods: ['totp'] });
  const challenge_id = 'challenge_id' in result ? result.challenge_id : '';
  const done = await verifySecondStep(world.auth.parts, client, { challenge_id, code: totpCode(TOTP_SECRET, world.clock.now()) });
  expect(done.result).toMatchObject({ status: 'ok', role: 'org_admin', tenant: { tenant_id: world.first.tenant_id } });
  const [session] = await world.database.system(sessions).find({});
  expect(session).toMatchObject({ method: 'saml', sso_tenant_id: world.first.tenant_id, second_factor: true });
});
