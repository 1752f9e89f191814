import { rotateMasterKey } from '../../processes/master-key/rotate.js';
import { collectionsOf } from '../../processes/services.js';
import { AuditLog, auditLog } from '../../kit/audit/audit.js';
import type { AuditInput } from '../../kit/audit/entry.js';
import { eraseAddresses } from '../../kit/audit/erase.js';
import { fixedClock } from '../../kit/base/clock.js';
import { Database } from '../../kit/store/database.js';
import { masterKeyOf } from '../../kit/keys/master-key.js';
import { withFormerKeys } from '../../kit/keys/master-key-records.js';
import { outbox } from '../../kit/work/outbox.js';
import { retainAuditLog } from '../../subgraphs/events/audit-log/retention.js';
import { engines } from '../../subgraphs/index.js';

const masterKey = masterKeyOf('a master secret of the tests, long enough');
const clock = fixedClock('2030-01-10T00:00:00.000Z');
const tenantId = 'ten_erased';
jest.setTimeout(600_000);

let database: Database;
let log: AuditLog;
let count = 0;
beforeEach(async () => {
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `erase_${process.pid}_${count++}`, collectionsOf(engines));
  log = new AuditLog(database, masterKey);
  const person = { actor_email: 'Ann.Lee@acme.example', ip_address: '192.0.2.7', result: 'success' } as const;
  const entries: AuditInput[] = [
    { action: 'tenant.create', actor_email: 'system', target: `tenant:${tenantId}`, result: 'success' },
    { action: 'user.login', ...person, target: 'user:usr_1' },
    {
      action: 'user.invite',
      ...person,
      target_email: 'bob@acme.example',
      detail: { to: ['bob@acme.example'], note: 'for bob@acme.example.' },
    },
    {
      action: 'support.enter',
      ...person,
      support: { access_id: 'sup_1', staff: 'sam@operator.example', approved_by: 'ann.lee@acme.example' },
    },
    ...Array.from({ length: 600 }, (_, n) => ({ action: 'user.login' as const, ...person, actor_email: `p${n}@acme.example` })),
  ];
  clock.set('2030-01-10T00:00:00.000Z');
  await database.transaction((transaction) => log.append(transaction, tenantId, clock.now(), entries));
  clock.set('2030-02-10T00:00:00.000Z');
  await retainAuditLog({ database, clock, masterKey }, tenantId);
});
afterEach(async () => {
  await database.drop();
  await database.close();
});

const rows = () => database.tenant(tenantId).collection(auditLog);
const all = () => rows().find({}, { sort: { seq: 1 } });
const erase = (on = database) => eraseAddresses({ database: on, clock }, log, tenantId);
const brokenAt = async (by = log) => (await by.verify(tenantId)).broken?.seq ?? null;

describe('the erasure of addresses', () => {
  it('leaves no address, one word for one person, and a chain that holds', async () => {
    const before = await all();
    expect(await erase()).toBe(603);
    const after = await all();
    expect(JSON.stringify(after)).not.toMatch(/@|192\.0\.2/);
    const [, login, invite, support] = after;
    expect(login!.actor_email).toMatch(/^address:[0-9a-f]{24}$/);
    expect(support!.support!.approved_by).toBe(login!.actor_email);
    expect(invite!.detail!['to']).toEqual([invite!.target_email]);
    expect(after.slice(0, before.length).map(({ hash, seq, action }) => [hash, seq, action])).toEqual(
      before.map(({ hash, seq, action }) => [hash, seq, action]),
    );
    expect(after.at(-1)).toMatchObject({ action: 'tenant.erase', detail: { through_seq: before.length, hash: before.at(-1)!.hash } });
    expect(await brokenAt()).toBeNull();
    expect(await database.tenant(tenantId).collection(outbox).count({})).toBe(0);
    // again changes nothing
    expect(await erase()).toBe(0);
    expect(await all()).toEqual(after);
  });

  it('hides no change: neither one of an erased entry nor one before the erasure', async () => {
    await erase();
    const [, login, invite] = await all();
    await rows().update({ _id: login!._id }, { $set: { actor_email: invite!.target_email! } });
    expect(await brokenAt()).toBe(2);
    await rows().update({ _id: login!._id }, { $set: { actor_email: login!.actor_email } });
    expect(await brokenAt()).toBeNull();
    await rows().update({ _id: invite!._id }, { $set: { erasure: login!.erasure! } });
    expect(await brokenAt()).toBe(3);
    await expect(erase()).rejects.toThrow('does not hold at seq 3');
  });

  it('goes on where a kill has left it, with one note', async () => {
    let writes = 0;
    const dying = new Proxy(database, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (name !== 'tenant') return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
        return (id: string) => {
          const tenant = target.tenant(id);
          return {
            ...tenant,
            collection: (definition: never) => {
              const collection = tenant.collection(definition);
              const update = collection.bulkUpdate.bind(collection);
              collection.bulkUpdate = async (...args) => {
                if (++writes > 1) throw new Error('killed');
                return update(...args);
              };
              return collection;
            },
          };
        };
      },
    });
    await expect(erase(dying)).rejects.toThrow('killed');
    expect(await brokenAt()).toBeNull();
    expect(await rows().count({ erasure: { $exists: true } })).toBe(499);
    expect(await erase()).toBe(104);
    expect(await rows().count({ action: 'tenant.erase' })).toBe(1);
    expect(await brokenAt()).toBeNull();
  });

  it('holds under the next master key, too', async () => {
    await erase();
    const next = masterKeyOf('another master secret of the tests, long enough');
    await rotateMasterKey({ database, clock }, masterKey, next);
    expect(await brokenAt(new AuditLog(database, await withFormerKeys(database, next)))).toBeNull();
  });
});
