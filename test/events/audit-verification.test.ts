import { randomUUID } from 'node:crypto';
import { auditLog, type AuditLog } from '../../kit/audit/audit.js';
import { auditVerifications } from '../../kit/audit/records.js';
import { fixedClock } from '../../kit/base/clock.js';
import { verifyAuditLog } from '../../subgraphs/events/audit-log/verification.js';
import { openWorld, type Client, type World } from '../support/world.js';

interface Verification {
  state: string;
  verified_at: string | null;
  whole_at: string | null;
  last_seq: number | null;
  broken_seq: number | null;
  reason: string | null;
}

const START = '2030-01-01T00:00:00.000Z';

let world: World;
let clock: ReturnType<typeof fixedClock>;
let log: AuditLog;
beforeAll(async () => {
  world = await openWorld();
  log = world.auth.parts.audit;
});
beforeEach(() => (clock = fixedClock(START)));
afterAll(() => world.close());

const append = (tenantId: string, ...actions: ('tenant.create' | 'user.login')[]) =>
  world.database.transaction((transaction) =>
    log.append(
      transaction,
      tenantId,
      clock.now(),
      actions.map((action) => ({ action, actor_email: 'a@b.example', result: 'success' as const })),
    ),
  );
const verify = (tenantId: string) => verifyAuditLog({ database: world.database, clock, masterKey: world.auth.parts.masterKey }, tenantId);
const rows = (tenantId: string) => world.database.tenant(tenantId).collection(auditLog);

/** A log of three entries. */
async function logOf(): Promise<string> {
  const tenantId = `ten_${randomUUID()}`;
  await append(tenantId, 'tenant.create', 'user.login', 'user.login');
  return tenantId;
}

describe('the verification of an audit log', () => {
  it('counts what was added, and walks all of it once a day', async () => {
    const tenantId = await logOf();
    expect(await verify(tenantId)).toMatchObject({ last_seq: 3, whole_at: new Date(START), broken: null });
    await append(tenantId, 'user.login');
    clock.advance(15 * 60_000);
    expect(await verify(tenantId)).toMatchObject({ last_seq: 4, verified_at: clock.now(), whole_at: new Date(START), broken: null });

    // an entry that was verified before is looked at again with the whole of it alone
    await rows(tenantId).update({ seq: 2 }, { $set: { actor_email: 'c@d.example' } });
    expect(await verify(tenantId)).toMatchObject({ last_seq: 4, broken: null });
    clock.advance(86_400_000);
    expect(await verify(tenantId)).toMatchObject({ last_seq: 1, broken: { seq: 2, reason: 'entry 2 was changed' }, whole_at: clock.now() });
    await rows(tenantId).update({ seq: 2 }, { $set: { actor_email: 'a@b.example' } });
    expect(await verify(tenantId)).toMatchObject({ last_seq: 4, broken: null });
  });

  it('finds what was added and changed since, and an end that was cut off', async () => {
    const tenantId = await logOf();
    await verify(tenantId);
    await append(tenantId, 'user.login', 'user.login');
    await rows(tenantId).update({ seq: 4 }, { $set: { result: 'failure' } });
    expect((await verify(tenantId)).broken).toEqual({ seq: 4, reason: 'entry 4 was changed' });
    const other = await logOf();
    await verify(other);
    await rows(other).remove({ seq: 3 });
    expect((await verify(other)).broken).not.toBeNull();
  });

  it('is told to administrators, and only as it was sealed', async () => {
    const tenant = await world.tenant();
    const admin = await tenant.as('tenant_admin');
    const told = async (client: Client) => client.call<Verification>('/api/v1/audit-logs/verification');
    const nothing = { verified_at: null, whole_at: null, last_seq: null, broken_seq: null, reason: null };
    await world.database.tenant(tenant.tenant._id).collection(auditVerifications).remove({});
    expect((await told(admin)).body).toMatchObject({ state: 'pending', ...nothing });
    const { last_seq } = await verify(tenant.tenant._id);
    expect((await told(admin)).body).toMatchObject({ state: 'holds', verified_at: START, last_seq, broken_seq: null });
    expect((await told(await tenant.as('viewer'))).status).toBe(403);
    // who can write to the database alone says nothing better of a log
    await world.database
      .tenant(tenant.tenant._id)
      .collection(auditVerifications)
      .update({}, { $set: { last_seq: last_seq + 1 } });
    expect((await told(admin)).body).toMatchObject({ state: 'pending', ...nothing });
  });
});
