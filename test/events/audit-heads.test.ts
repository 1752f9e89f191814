// A process moves the head of a chain that it wrote last without reading it. What the store holds decides whether it counts.
import { AuditLog, auditHeads, auditLog } from '../../kit/audit/audit.js';
import type { Database } from '../../kit/store/database.js';
import { createWorld, type World } from '../sign-in/world.js';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const append = (database: Database, log: AuditLog, tenantId: string) =>
  database.transaction((transaction) =>
    log.append(transaction, tenantId, world.clock.now(), [{ action: 'tenant.update', actor_email: 'ada@example.com', result: 'success' }]),
  );

const numbersOf = async (tenantId: string) =>
  (
    await world.database
      .tenant(tenantId)
      .collection(auditLog)
      .find({}, { sort: { seq: 1 } })
  ).map(({ seq }) => seq);

test('two processes that take turns make one chain', async () => {
  const id = world.first.tenant_id;
  const other = await world.another();
  const [own, others] = [world.auth.parts.audit, new AuditLog(other, world.masterKey)];
  for (let turn = 0; turn < 3; turn++) {
    await append(world.database, own, id);
    await append(world.database, own, id);
    await append(other, others, id);
  }
  expect(await numbersOf(id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect((await own.verify(id)).broken).toBeNull();
  await other.close();
});

test('what was written and not committed is not gone on from', async () => {
  const id = world.second.tenant_id;
  const { audit } = world.auth.parts;
  await append(world.database, audit, id);
  const given = world.database.transaction(async (transaction) => {
    await audit.append(transaction, id, world.clock.now(), [
      { action: 'tenant.update', actor_email: 'lost@example.com', result: 'success' },
    ]);
    throw new Error('given up');
  });
  await expect(given).rejects.toThrow('given up');
  await append(world.database, audit, id);
  expect(await numbersOf(id)).toEqual([1, 2, 3]);
  expect((await audit.verify(id)).broken).toBeNull();
});

test('the removal of a head is not covered up', async () => {
  const tenant = world.database.tenant(world.second.tenant_id);
  const heads = tenant.collection(auditHeads);
  const { audit } = world.auth.parts;
  await append(world.database, audit, tenant.tenantId);
  await heads.remove({});
  await append(world.database, audit, tenant.tenantId);
  expect((await audit.verify(tenant.tenantId)).broken).not.toBeNull();
});
