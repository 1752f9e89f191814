import { randomUUID } from 'node:crypto';
import type { AuditLog } from '../../kit/audit/audit.js';
import { auditHeads, auditLog } from '../../kit/audit/audit.js';
import type { AuditInput } from '../../kit/audit/entry.js';
import { auditSegments } from '../../kit/audit/segments.js';
import { verifyChain } from '../../kit/audit/verify.js';
import { fixedClock } from '../../kit/base/clock.js';
import type { Database } from '../../kit/store/database.js';
import { retainAuditLog } from '../../subgraphs/events/audit-log/retention.js';
import { openWorld, type World } from '../support/world.js';

let world: World;
let clock: ReturnType<typeof fixedClock>;
let tenantId: string;
let log: AuditLog;
/** Whether the log has its first entry, the making of the tenant. */
let begun: boolean;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(() => {
  clock = fixedClock('2026-02-10T12:00:00.000Z');
  tenantId = `ten_${randomUUID()}`;
  log = world.auth.parts.audit;
  begun = false;
});
afterAll(() => world.close());

const append = async (times: readonly string[], action: AuditInput['action'] = 'user.login') => {
  const actions = times.map((_, n) => (begun || n > 0 ? action : 'tenant.create'));
  begun = true;
  await world.database.transaction(async (transaction) => {
    for (const [n, time] of times.entries())
      await log.append(transaction, tenantId, new Date(time), [{ action: actions[n]!, actor_email: 'a@b.example', result: 'success' }]);
  });
};
const retain = (database: Database = world.database) =>
  retainAuditLog({ database, clock, masterKey: world.auth.parts.masterKey }, tenantId);
const rows = () => world.database.tenant(tenantId).collection(auditLog);
const segments = () => world.database.tenant(tenantId).collection(auditSegments);
const months = async () =>
  (await segments().find({}, { sort: { first_seq: 1 } })).map(({ month, first_seq, last_seq, expired_at }) =>
    [month, first_seq, last_seq, ...(expired_at ? ['expired'] : [])].join(' '),
  );
const broken = async () => (await log.verify(tenantId)).broken;

const YEARS = ['2019-01-05T00:00:00.000Z', '2019-01-31T23:59:59.999Z', '2019-02-01T00:00:00.000Z', '2019-02-20T00:00:00.000Z'];
const RECENT = ['2025-12-31T23:59:59.000Z', '2026-01-15T00:00:00.000Z', '2026-02-01T00:00:00.000Z'];

describe('the months of an audit log', () => {
  it('are sealed when they are over for a day, once, by their entries in order', async () => {
    await append(['2025-11-03T00:00:00.000Z', '2025-11-30T23:59:59.999Z', ...RECENT]);
    clock.set('2026-02-01T23:59:59.999Z');
    await retain();
    expect(await months()).toEqual(['2025-11 1 2', '2025-12 3 3']);
    clock.set('2026-02-02T00:00:00.000Z');
    await retain();
    await retain();
    expect(await months()).toEqual(['2025-11 1 2', '2025-12 3 3', '2026-01 4 4']);
    expect(await log.verify(tenantId)).toEqual({ entries: 5, first_seq: 1, broken: null });
  });

  it('take the entries of a clock that is behind with the month after', async () => {
    await append(['2025-11-30T23:59:59.000Z', '2025-12-01T00:00:00.001Z', '2025-11-30T23:59:59.999Z', '2026-01-01T00:00:00.000Z']);
    await retain();
    expect(await months()).toEqual(['2025-11 1 1', '2025-12 2 3', '2026-01 4 4']);
    expect(await broken()).toBeNull();
  });

  it('are kept for seven years after their end, and then removed whole; the chain holds from the oldest kept entry on', async () => {
    await append([...YEARS, ...RECENT]);
    clock.set('2026-01-31T23:59:59.999Z');
    await retain();
    expect(await rows().count({})).toBe(7);
    clock.set('2026-02-10T00:00:00.000Z');
    await retain();
    expect(await months()).toEqual(['2019-01 1 2 expired', '2019-02 3 4', '2025-12 5 5', '2026-01 6 6']);
    expect((await rows().find({}, { sort: { seq: 1 } })).map(({ seq, action }) => `${seq} ${action}`)).toEqual([
      '3 user.login',
      '4 user.login',
      '5 user.login',
      '6 user.login',
      '7 user.login',
      '8 audit.expire',
    ]);
    expect((await rows().findOne({ seq: 8 }))!.detail).toMatchObject({ first_seq: 1, last_seq: 2 });
    expect(await log.verify(tenantId)).toEqual({ entries: 6, first_seq: 3, broken: null });
    clock.set('2026-03-02T00:00:00.000Z');
    await retain();
    expect(await log.verify(tenantId)).toEqual({ entries: 5, first_seq: 5, broken: null });
  });

  it('lose nothing and double nothing when the process ends between the note and the removal', async () => {
    await append([...YEARS, ...RECENT]);
    const crashing = Object.assign(Object.create(world.database) as Database, {
      tenant: (id: string) => {
        const tenant = world.database.tenant(id);
        const collection: typeof tenant.collection = (definition) => {
          const opened = tenant.collection(definition);
          if (definition.name === auditLog.name) opened.remove = () => Promise.reject(new Error('the process ended'));
          return opened;
        };
        return { ...tenant, collection };
      },
    });
    await expect(retain(crashing)).rejects.toThrow('the process ended');
    expect(await rows().count({})).toBe(8);
    expect(await log.verify(tenantId)).toEqual({ entries: 6, first_seq: 3, broken: null });
    await retain();
    expect(await rows().count({})).toBe(6);
    expect(await rows().count({ action: 'audit.expire' })).toBe(1);
    expect(await broken()).toBeNull();
  });

  it('are not taken for missing by a verification during which they are removed', async () => {
    await append([...YEARS, ...RECENT]);
    const tenant = world.database.tenant(tenantId);
    let removed = 0;
    const collection: typeof tenant.collection = (definition) => {
      const opened = tenant.collection(definition);
      if (definition.name === auditHeads.name && removed++ === 0)
        opened.findOne = async (...given) => {
          await retain();
          return tenant.collection(definition).findOne(...given);
        };
      return opened;
    };
    expect(await verifyChain({ ...tenant, tenantId, collection }, log.seals)).toEqual({ entries: 6, first_seq: 3, broken: null });
    expect(await months()).toContain('2019-01 1 2 expired');
  });

  it('are neither sealed nor removed while an entry of them does not hold', async () => {
    await append([...YEARS, ...RECENT]);
    await rows().update({ seq: 2 }, { $set: { actor_email: 'x@y.example' } });
    await expect(retain()).rejects.toThrow('entry 2 was changed');
    expect(await months()).toEqual([]);

    await rows().update({ seq: 2 }, { $set: { actor_email: 'a@b.example' } });
    clock.set('2026-01-20T00:00:00.000Z');
    await retain();
    await rows().update({ seq: 2 }, { $set: { actor_email: 'x@y.example' } });
    clock.set('2026-02-10T00:00:00.000Z');
    await expect(retain()).rejects.toThrow('entry 2 was changed');
    expect(await rows().count({})).toBe(7);
    expect((await broken())?.seq).toBe(2);
  });

  it('show an edit inside, a changed seal, a removed seal', async () => {
    await append([...YEARS, ...RECENT]);
    await retain();
    const [first, second, third] = await segments().find({}, { sort: { first_seq: 1 } });
    await rows().update({ seq: 4 }, { $set: { role: 'org_admin' } });
    expect(await broken()).toEqual({ seq: 4, reason: 'entry 4 was changed' });
    await rows().update({ seq: 4 }, { $unset: { role: '' } });
    expect(await broken()).toBeNull();

    for (const change of [{ expired_at: new Date() }, { last_seq: 5 }, { hash: third!.hash }, { month: '2019-03' }]) {
      await segments().update({ _id: second!._id }, { $set: change });
      expect((await broken())?.seq).toBe(3);
      await segments().remove({ _id: second!._id });
      await segments().insert(second!);
    }
    await segments().remove({ _id: first!._id });
    expect((await broken())?.seq).toBe(1);
    await segments().insert(first!);
    expect(await broken()).toBeNull();
  });

  it('come out the same when two processes look at them at once', async () => {
    await append([...YEARS, ...RECENT]);
    await Promise.allSettled([retain(), retain()]);
    await retain();
    expect(await rows().count({ action: 'audit.expire' })).toBe(1);
    expect(await log.verify(tenantId)).toEqual({ entries: 6, first_seq: 3, broken: null });
  });
});
