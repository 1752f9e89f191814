import { auditHeads, auditLog, type AuditRow } from '../../kit/audit/audit.js';
import { auditSegments } from '../../kit/audit/segments.js';
import { addToOutbox } from '../../kit/work/outbox.js';
import { runCommand } from '../support/process.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

let world: World;
let tenant: TestTenant;
let admin: Client;
let id: string;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(async () => {
  tenant = await world.tenant();
  id = tenant.tenant._id;
  admin = await tenant.as('tenant_admin');
  for (let n = 2; n <= 6; n++) await act(n);
});
afterAll(() => world.close());

/** One action over HTTP: one entry. */
async function act(n: number): Promise<void> {
  const { status } = await admin.call(`/api/v1/tenants/${id}`, { method: 'PATCH', body: { name: `Name ${n}` } });
  expect(status).toBe(200);
}

const rows = () => world.database.tenant(id).collection(auditLog);
const heads = () => world.database.tenant(id).collection(auditHeads);
const all = () => rows().find({}, { sort: { seq: 1 } });
const edit = (seq: number, change: Partial<AuditRow>) => rows().update({ seq }, { $set: change });
const check = async () => (await world.auth.parts.audit.verify(id)).broken?.seq ?? null;

/** The command, beside the running server. */
const command = () =>
  runCommand(['audit', 'verify', '--tenant', id], {
    MONGODB_URI: process.env['PALISADE_TEST_MONGODB_URI']!,
    MONGODB_DB: process.env['PALISADE_TEST_DB']!,
    PALISADE_SECRET: process.env['PALISADE_TEST_SECRET']!,
  });

describe('U1', () => {
  it('the command finds that an untouched chain holds, and names the first entry of a touched one', async () => {
    expect(await command()).toMatchObject({ code: 0, stdout: expect.stringContaining(`6 entries of ${id} hold`) as string });
    await edit(3, { actor_email: 'somebody@else.example' });
    expect(await command()).toMatchObject({ code: 1, stderr: expect.stringContaining('broken at seq 3') as string });
  });

  it('an edit of any field is found', async () => {
    const [, , , fourth] = await all();
    const changes: Partial<AuditRow>[] = [
      { action: 'user.login' },
      { actor_email: 'x@y.example' },
      { target: 'tenant:other' },
      { target_email: 'x@y.example' },
      { role: 'viewer' },
      { ip_address: '203.0.113.1' },
      { result: 'failure' },
      { detail: { name: 'Name 4', more: true } },
      { timestamp: new Date(fourth!.timestamp.getTime() + 1) },
      { hash: '0'.repeat(64) },
      { prev: '0'.repeat(64) },
    ];
    for (const change of changes) {
      await edit(4, change);
      expect([Object.keys(change), await check()]).toEqual([Object.keys(change), 4]);
      await rows().remove({ seq: 4 });
      await rows().insert(fourth!);
      expect(await check()).toBeNull();
    }
  });

  it('a removed, a reordered and a copied entry are found', async () => {
    const [first, , third, fourth] = await all();
    await rows().remove({ seq: 3 });
    expect(await check()).toBe(3);
    await rows().insert(third!);
    expect(await check()).toBeNull();

    await rows().remove({ seq: { $in: [3, 4] } });
    await rows().insertMany([
      { ...third!, seq: 4 },
      { ...fourth!, seq: 3 },
    ]);
    expect(await check()).toBe(3);
    await rows().remove({ seq: { $in: [3, 4] } });
    await rows().insertMany([third!, fourth!]);
    expect(await check()).toBeNull();

    await rows().remove({ seq: 1 });
    expect(await check()).toBe(1);
    await rows().insert(first!);
    await rows().insert({ ...fourth!, _id: `${id}|7`, seq: 7 });
    expect(await check()).toBe(7);
  });

  it("an entry of another tenant's chain does not pass for an own one", async () => {
    const other = await world.tenant();
    const theirs = (await world.database.tenant(other.tenant._id).collection(auditLog).findOne({ seq: 1 }))!;
    await rows().remove({ seq: 1 });
    await rows().insert({ ...theirs, _id: `${id}|1`, tenant_id: id });
    expect(await check()).toBe(1);
  });

  it('an end that was cut off is found, though the head is made to point at the last entry left', async () => {
    await rows().remove({ seq: { $gt: 4 } });
    expect(await check()).toBe(5);
    const last = (await rows().findOne({ seq: 4 }))!;
    await heads().update({}, { $set: { seq: 4, hash: last.hash } });
    expect(await check()).toBe(5);
    await heads().update({}, { $set: { seal: last.hash } });
    expect(await check()).toBe(5);
    await heads().update({}, { $unset: { seal: '' } });
    expect(await check()).toBe(5);
    await heads().remove({});
    expect(await check()).toBe(5);
  });

  it('what was cut off stays found when the tenant works on', async () => {
    await rows().remove({ seq: { $gt: 4 } });
    const last = (await rows().findOne({ seq: 4 }))!;
    await heads().update({}, { $set: { seq: 4, hash: last.hash } });
    // the entry that was cut off may still wait to be handed out
    const waits = { tenant_id: id, first_seq: 6, last_seq: 6, created_at: new Date() };
    await world.database.transaction((transaction) => addToOutbox(world.database, transaction, waits));
    await act(7);
    await act(8);
    expect(await check()).toBe(5);
    expect((await all()).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 6, 7]);
  });

  it('a tenant whose head was removed works on, and the removal stays found', async () => {
    await heads().remove({});
    await act(7);
    expect(await check()).toBe(7);
    expect((await all()).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 8]);
  });

  it('a chain that was removed whole is reported by the command', async () => {
    await rows().remove({});
    expect(await check()).toBe(1);
    await heads().remove({});
    expect(await command()).toMatchObject({ code: 1, stderr: expect.stringContaining('no audit log') as string });
  });

  it('a chain that was removed whole stays found when the tenant works on', async () => {
    await rows().remove({});
    await heads().remove({});
    await act(7);
    await act(8);
    expect(await check()).toBe(1);
    expect((await all()).map(({ seq }) => seq)).toEqual([2, 3]);
  });

  it('a text that the store does not keep as it came breaks no chain', async () => {
    const raw = '{"name":"half a pair \\ud800 and \\u0000"}';
    const headers = { 'content-type': 'application/json' };
    const { status } = await admin.call(`/api/v1/tenants/${id}`, { method: 'PATCH', raw, headers });
    expect(status).toBe(200);
    expect((await all()).at(-1)!.detail).toEqual({ name: 'half a pair \ufffd and \u0000' });
    expect(await check()).toBeNull();
  });

  it('a month that pretends to be no longer kept is found', async () => {
    const last = (await rows().findOne({ seq: 4 }))!;
    await rows().remove({ seq: { $lte: 4 } });
    expect(await check()).toBe(1);
    const month = {
      tenant_id: id,
      month: '2019-01',
      first_seq: 1,
      last_seq: 4,
      prev: '0'.repeat(64),
      hash: last.hash,
      expired_at: new Date(),
    };
    await world.database
      .tenant(id)
      .collection(auditSegments)
      .insert({ _id: `${id}|2019-01`, ...month, seal: last.hash });
    expect(await check()).toBe(1);
  });

  it('entries that are written while the chain is walked do no harm', async () => {
    const writing = Promise.all(Array.from({ length: 20 }, (_, n) => act(n)));
    for (let n = 0; n < 10; n++) expect(await check()).toBeNull();
    await writing;
    expect(await world.auth.parts.audit.verify(id)).toMatchObject({ entries: 26, first_seq: 1, broken: null });
  });
});
