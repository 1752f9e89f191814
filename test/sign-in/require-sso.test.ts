import { finishSignIn } from '../../sign-in/finish-sign-in.js';
import { homesOf } from '../../sign-in/homes.js';
import { auditLog } from '../../kit/audit/audit.js';
import { tenants } from '../../accounts/records.js';
import { addMembership } from '../../accounts/seed.js';
import { sessions } from '../../accounts/session-record.js';
import { createWorld, PASSWORD, type World } from './world.js';

let world: World;
beforeAll(async () => {
  world = await createWorld();
  await world.database
    .tenant(world.first.tenant_id)
    .collection(tenants)
    .update({}, { $set: { require_sso: true } });
});
afterAll(() => world.close());

const failures = () => world.database.tenant(world.first.tenant_id).collection(auditLog).find({ action: 'user.login', result: 'failure' });
const client = { ip_address: '192.0.2.1', user_agent: '' };

describe('a tenant that requires single sign-on', () => {
  it('answers a right password as a wrong one', async () => {
    await world.member('sso@example.com', 'viewer');
    const [right, wrong] = [await world.signIn('sso@example.com'), await world.signIn('sso@example.com', `not ${PASSWORD}`)];
    expect([right.statusCode, right.body]).toEqual([401, wrong.body]);
    expect(right.cookies).toEqual([]);
    expect((await failures()).map(({ detail }) => detail!['reason']).sort()).toEqual(['credentials', 'sso_required']);
  });

  it('leaves the other tenants of a person open', async () => {
    const user = await world.member('both@example.com', 'analyst');
    await addMembership(world.seed, { tenant_id: world.second.tenant_id, user, role: 'viewer' });
    const response = await world.signIn('both@example.com');
    expect(response.json()).toMatchObject({ status: 'ok', tenant: { tenant_id: world.second.tenant_id }, role: 'viewer' });
  });

  it('takes nobody in whom no provider vouches for, by whatever way they come', async () => {
    const user = await world.member('invited@example.com', 'viewer');
    const homes = await homesOf(world.auth.parts, user);
    const signIn = (sso_tenant_id: string | null) =>
      finishSignIn(world.auth.parts, client, { user, homes, method: 'invite', second_factor: false, sso_tenant_id });
    await expect(signIn(null)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect((await signIn(world.first.tenant_id)).token).not.toBeNull();
  });

  it('takes in nobody whose sign-in began before it did', async () => {
    const user = await world.member('early@example.com', 'viewer');
    const [home] = await homesOf(world.auth.parts, user);
    const homes = [{ ...home!, tenant: { ...home!.tenant, require_sso: false } }];
    const signedIn = { user, homes, method: 'password' as const, second_factor: false, sso_tenant_id: null };
    await expect(finishSignIn(world.auth.parts, client, signedIn)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await world.database.system(sessions).count({ user_id: user._id })).toBe(0);
  });

  it("does not bind the operator's staff", async () => {
    await world.member('staff@palisade.example', 'viewer', world.first.tenant_id, { organization_id: null });
    expect((await world.signIn('staff@palisade.example')).statusCode).toBe(200);
  });
});
