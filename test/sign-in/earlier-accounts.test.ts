import { ownAccount, users } from '../../accounts/records.js';
import { createUser } from '../../accounts/seed.js';
import { openTestDatabase, testClock, testMasterKey } from './world.js';

let store: Awaited<ReturnType<typeof openTestDatabase>>;
beforeAll(async () => {
  store = await openTestDatabase();
});
afterAll(() => store.close());

/** The account that a provider makes for an address that has one already. */
const second = (sso_tenant_id: string | null) => ({
  _id: `usr_${sso_tenant_id}`,
  email: 'ada@acme.example',
  sso_tenant_id,
  name: 'Ada',
  password_hash: null,
  state: 'active' as const,
  mfa: 'none' as const,
  totp_sealed: null,
  organization_id: 'acme',
  last_login_at: null,
  created_at: new Date(),
});

it('a database in which an address has one account takes those of providers after the next start, and still one of its own', async () => {
  const { database } = store;
  const rows = database.system(users);
  await rows.createIndexes([{ key: { email: 1 }, options: { unique: true } }]);
  const target = { database, clock: testClock(), masterKey: testMasterKey() };
  const own = await createUser(target, { email: 'ada@acme.example', name: 'Ada', password_hash: null });
  await expect(rows.insert(second('tenant'))).rejects.toMatchObject({ code: 11_000 });
  // two processes that start at once
  const started = await Promise.all([store.another(), store.another()]);
  await rows.insert(second('tenant'));
  for (const sso_tenant_id of ['tenant', null])
    await expect(rows.insert({ ...second(sso_tenant_id), _id: 'usr_third' })).rejects.toMatchObject({ code: 11_000 });
  expect(await rows.find(ownAccount('ada@acme.example'))).toMatchObject([{ _id: own._id }]);
  for (const one of started) await one.close();
});

it("a row from before that says nothing of whose account it is counts as a person's own", async () => {
  const rows = store.database.system(users);
  await rows.update({ _id: 'usr_tenant' }, { $set: { email: 'bea@acme.example' } });
  await rows.update({ _id: 'usr_tenant' }, { $unset: { sso_tenant_id: '' } });
  expect(await rows.find(ownAccount('bea@acme.example'))).toHaveLength(1);
});
