import { rotateMasterKey } from '../../processes/master-key/rotate.js';
import { collectionsOf } from '../../processes/services.js';
import { AuditLog, auditLog } from '../../kit/audit/audit.js';
import { AuditSeals } from '../../kit/audit/seals.js';
import { auditHeads } from '../../kit/audit/records.js';
import { fixedClock } from '../../kit/base/clock.js';
import { Database } from '../../kit/store/database.js';
import { jobs } from '../../kit/work/jobs.js';
import { openKeyRing } from '../../kit/keys/key-ring.js';
import { masterKeyOf, type MasterKey } from '../../kit/keys/master-key.js';
import { masterKeys, withFormerKeys } from '../../kit/keys/master-key-records.js';
import { seal, unseal } from '../../kit/keys/seal.js';
import { retainAuditLog } from '../../subgraphs/events/audit-log/retention.js';
import { openCredentials, sealCredentials } from '../../subgraphs/events/integrations/credentials.js';
import { integrations } from '../../subgraphs/events/integrations/records.js';
import { openCredential, sealCredential } from '../../subgraphs/onboarding/accounts/credential.js';
import { cloudAccounts } from '../../subgraphs/onboarding/accounts/records.js';
import { openSecret, sealSecret, siemExports } from '../../subgraphs/events/siem/records.js';
import { webhooks } from '../../subgraphs/events/webhooks/records.js';
import { createSecret } from '../../subgraphs/events/webhooks/secrets.js';
import { recoveryHash, recoveryHashes } from '../../accounts/factors/recovery-codes.js';
import { unsealTotp } from '../../accounts/factors/totp.js';
import { users } from '../../accounts/records.js';
import { createTenant, createUser } from '../../accounts/seed.js';
import { ssoSettings } from '../../accounts/providers/records.js';
import { engines } from '../../subgraphs/index.js';

const secretOf = (n: number) => masterKeyOf(`the master secret of generation ${n}, long enough`);
const [first, second, third] = [secretOf(1), secretOf(2), secretOf(3)];
jest.setTimeout(600_000);

let clock: ReturnType<typeof fixedClock>;
let database: Database;
let tenantId: string;
let userId: string;
let count = 0;
beforeEach(async () => {
  clock = fixedClock('2030-01-10T00:00:00.000Z');
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `rotation_${process.pid}_${count++}`, collectionsOf(engines));
  ({ tenantId, userId } = await fill(first));
});
afterEach(async () => {
  await database.drop();
  await database.close();
});

const append = (key: MasterKey, n = 1) =>
  database.transaction((transaction) =>
    new AuditLog(database, key).append(
      transaction,
      tenantId,
      clock.now(),
      Array.from({ length: n }, () => ({ action: 'user.login', actor_email: 'a@b.example', result: 'success' }) as const),
    ),
  );
const verify = async (key: MasterKey) => (await new AuditLog(database, key).verify(tenantId)).broken;

/** One of everything that is sealed, under `key`. */
async function fill(key: MasterKey) {
  const services = { database, masterKey: key, clock };
  const tenant_id = (tenantId = (await createTenant(services, { organization_id: 'org', name: 'Test' })).tenant_id);
  await append(key, 3);
  clock.set('2030-02-10T00:00:00.000Z');
  await append(key, 2);
  await retainAuditLog(services, tenant_id);
  const user = await createUser(services, { email: 'a@b.example', name: 'A', password_hash: null, totp_secret: 'JBSWY3DPEHPK3PXP' });
  const recovery_codes = [recoveryHash(key, user._id, 'aaaaabbbbb')];
  await database.system(users).update({ _id: user._id }, { $set: { recovery_codes } });
  for (const purpose of ['session', 'auth-context', 'link'] as const) await openKeyRing(services, purpose);
  const tenant = database.tenant(tenant_id);
  const insert = (collection: { name: string }, row: object) =>
    tenant.collection<object>(collection as never).insert({ tenant_id, ...row });
  await insert(webhooks, { _id: 'hook', secrets: [createSecret(key, 'hook').stored, createSecret(key, 'hook').stored] });
  await insert(integrations, { _id: 'jira', credentials: sealCredentials(key, 'jira', { url: 'https://chat.example' } as never) });
  await insert(cloudAccounts, {
    _id: 'account',
    sealed_credential: sealCredential(key, 'account', { method: 'secret', values: { token: 'x' } }),
  });
  await insert(siemExports, { _id: tenant_id, webhook: { url: 'x', secret: sealSecret(key, tenant_id, 'whsec') }, object_storage: null });
  const client_secret_sealed = seal(key.derive('oauth-client'), `sso:${tenant_id}`, Buffer.from('client secret'));
  await insert(ssoSettings, { _id: tenant_id, oauth: { client_secret_sealed }, saml: null });
  const mail = seal(key.derive('mail'), tenant_id, Buffer.from('mail'));
  await insert(jobs, { _id: 'mail', kind: 'mail.send', payload: { sealed: mail }, state: 'queued' });
  return { tenantId: tenant_id, userId: user._id };
}

/** Opens everything under `key`. @returns the names of what does not open */
async function closedUnder(key: MasterKey): Promise<string[]> {
  const tenant = database.tenant(tenantId);
  const user = (await database.system(users).findOne({ _id: userId }))!;
  const hook = (await tenant.collection(webhooks).findOne({}))!;
  const jira = (await tenant.collection(integrations).findOne({}))!;
  const account = (await tenant.collection(cloudAccounts).findOne({}))!;
  const siem = (await tenant.collection(siemExports).findOne({}))!;
  const sso = (await tenant.collection(ssoSettings).findOne({}))!;
  const job = (await tenant.collection(jobs).findOne({}))!;
  const text = (use: Parameters<MasterKey['derive']>[0], owner: string, sealed: string) =>
    unseal(key.derive(use), owner, sealed).toString();
  const checks: Record<string, () => unknown> = {
    totp: () => unsealTotp(key, userId, user.totp_sealed!) === 'JBSWY3DPEHPK3PXP',
    webhooks: () => hook.secrets.every(({ sealed }) => text('webhook-secrets', 'hook', sealed).length > 0),
    integrations: () => (openCredentials(key, jira as never) as { url: string }).url === 'https://chat.example',
    'cloud account': () => openCredential(key, account as never).values['token'] === 'x',
    siem: () => openSecret(key, tenantId, siem.webhook!.secret) === 'whsec',
    sso: () => text('oauth-client', `sso:${tenantId}`, sso.oauth!.client_secret_sealed) === 'client secret',
    mail: () => text('mail', tenantId, job.payload['sealed'] as string) === 'mail',
    session: () => openKeyRing({ database, masterKey: key, clock }, 'session'),
    'auth-context': () => openKeyRing({ database, masterKey: key, clock }, 'auth-context'),
    link: () => openKeyRing({ database, masterKey: key, clock }, 'link'),
    recovery: () => recoveryHashes(key, userId, 'aaaaabbbbb').includes(user.recovery_codes![0]!),
    audit: async () => (await verify(key)) === null,
  };
  const closed: string[] = [];
  for (const [name, check] of Object.entries(checks)) {
    try {
      if (!(await check())) closed.push(name);
    } catch {
      closed.push(name);
    }
  }
  return closed;
}

describe('a rotation of the master key', () => {
  it('leaves everything open under the new key and nothing under the old one, twice', async () => {
    expect(await closedUnder(first!)).toEqual([]);
    expect(await rotateMasterKey({ database, clock }, first!, second!)).toMatchObject({ unreadable: [], brokenLogs: [] });
    const now = await withFormerKeys(database, second!);
    expect(await closedUnder(now)).toEqual([]);
    const all = await closedUnder(first!);
    // recovery codes are digests that live until they are used
    expect(all.sort()).toEqual(
      ['totp', 'webhooks', 'integrations', 'cloud account', 'siem', 'sso', 'mail', 'session', 'auth-context', 'link', 'audit'].sort(),
    );
    await append(now, 2);
    expect(await verify(now)).toBeNull();

    clock.set('2030-03-10T00:00:00.000Z');
    await retainAuditLog({ database, clock, masterKey: now }, tenantId);
    expect(await rotateMasterKey({ database, clock }, second!, third!)).toMatchObject({ unreadable: [], brokenLogs: [] });
    const last = await withFormerKeys(database, third!);
    expect(last.former.map(({ fingerprint }) => fingerprint)).toEqual([first!.fingerprint, second!.fingerprint]);
    expect(await closedUnder(last)).toEqual([]);
    const rotations = await database
      .tenant(tenantId)
      .collection(auditLog)
      .find({ action: 'master_key.rotate' }, { sort: { seq: 1 } });
    expect(rotations.map(({ detail }) => [detail!['from'], detail!['to']])).toEqual([
      [first!.fingerprint, second!.fingerprint],
      [second!.fingerprint, third!.fingerprint],
    ]);
    await expect(withFormerKeys(database, second!)).rejects.toThrow('The database is under the master key');
    await expect(rotateMasterKey({ database, clock }, third!, first!)).rejects.toThrow('was used before');
  });

  it('goes on where a kill has left it, wherever that was; until it has ended nothing starts', async () => {
    let kills = 0;
    for (let after = 1; ; after++) {
      let steps = 0;
      const step = () => {
        if (++steps > after) throw new Error('killed');
      };
      const dying = new Proxy(database, {
        get: (target, name) => {
          const value = Reflect.get(target, name) as unknown;
          if (typeof value !== 'function') return value;
          return (...args: unknown[]) => {
            step();
            return (value as (...given: unknown[]) => unknown).apply(target, args);
          };
        },
      });
      try {
        await rotateMasterKey({ database: dying, clock }, first!, second!);
        break;
      } catch (error) {
        expect((error as Error).message).toBe('killed');
        kills++;
        const begun = (await database.system(masterKeys).count({ state: 'next' })) > 0;
        if (begun) await expect(withFormerKeys(database, second!)).rejects.toThrow('was not finished');
      }
    }
    expect(kills).toBeGreaterThan(10);
    expect(await closedUnder(await withFormerKeys(database, second!))).toEqual([]);
  });

  it('gives who has the old secret no new entry, no old one changed, and no other end', async () => {
    await rotateMasterKey({ database, clock }, first!, second!);
    const now = await withFormerKeys(database, second!);
    await append(now, 2);
    const rows = database.tenant(tenantId).collection(auditLog);
    const heads = database.tenant(tenantId).collection(auditHeads);
    const old = new AuditSeals(first!);
    const [end, head] = [(await rows.findOne({}, { sort: { seq: -1 } }))!, (await heads.findOne({}))!];
    const forged = { ...end, actor_email: 'mallory@b.example' };
    const hash = old.entry(forged);
    await rows.update({ _id: end._id }, { $set: { actor_email: forged.actor_email, hash } });
    await heads.update({}, { $set: { hash, seal: old.head({ tenant_id: tenantId, seq: end.seq, hash }) } });
    expect((await verify(now))?.seq).toBe(end.seq);
    await heads.update({}, { $set: { hash: head.hash, seal: head.seal } });
    expect((await verify(now))?.seq).toBe(end.seq);
    await rows.update({ _id: end._id }, { $set: { actor_email: end.actor_email, hash: end.hash } });
    expect(await verify(now)).toBeNull();
    // an old entry under the old key: the next one stands on the hash that it had
    const early = (await rows.findOne({ seq: 2 }))!;
    const changed = { ...early, actor_email: 'mallory@b.example' };
    await rows.update({ _id: early._id }, { $set: { actor_email: changed.actor_email, hash: old.entry(changed) } });
    expect((await verify(now))?.seq).toBe(3);
  });

  it('is refused with another old secret, and towards a second new one', async () => {
    await expect(rotateMasterKey({ database, clock }, third!, second!)).rejects.toThrow('another master key');
    await expect(rotateMasterKey({ database, clock }, first!, first!)).rejects.toThrow('is the present one');
    const broken = new Error('killed');
    const dying = { now: () => clock.now() };
    let calls = 0;
    dying.now = () => {
      if (calls++ > 0) throw broken;
      return clock.now();
    };
    await expect(rotateMasterKey({ database, clock: dying }, first!, second!)).rejects.toThrow('killed');
    await expect(rotateMasterKey({ database, clock }, first!, third!)).rejects.toThrow('was begun');
    await rotateMasterKey({ database, clock }, first!, second!);
    expect(await closedUnder(await withFormerKeys(database, second!))).toEqual([]);
  });
});
