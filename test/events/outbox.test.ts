import { randomUUID } from 'node:crypto';
import { collectionsOf } from '../../processes/services.js';
import { Database } from '../../kit/store/database.js';
import type { EngineServices } from '../../kit/engine/context.js';
import { getAuditLog } from '../../kit/engine/create-context.js';
import { defineCollection } from '../../kit/store/collection.js';
import { number, text } from '../../kit/store/fields.js';
import { NEVER_LEASED } from '../../kit/work/due.js';
import { outbox } from '../../kit/work/outbox.js';
import { tenantEnds } from '../../kit/work/tenant-ends.js';
import { engines } from '../../subgraphs/index.js';
import type { EventConsumer } from '../../subgraphs/events/outbox/consumer.js';
import { createDispatcher } from '../../subgraphs/events/outbox/dispatcher.js';
import { waitingTenants } from '../../subgraphs/events/outbox/waiting-tenants.js';
import { until } from '../support/stand-in.js';
import { servicesOf } from './hand-out.js';

// How the dispatcher hands out the entries of audit logs, with dispatchers in this process over a database of the test's own.
/** What consumers of a test took down, and in which order. */
const told = defineCollection('told', { by: text, turn: number, seq: number });
let turns = 0;

const uri = process.env['PALISADE_TEST_MONGODB_URI']!;
let name: string;
let opened: EngineServices[];
let services: EngineServices;
const stopping: AbortController[] = [];
const running: Promise<void>[] = [];

const openProcess = async (): Promise<EngineServices> => {
  const one = servicesOf({ database: await Database.open(uri, name, [...collectionsOf(engines), told]) }, {});
  opened.push(one);
  return one;
};
beforeEach(async () => {
  name = `outbox_${randomUUID().slice(0, 8)}`;
  opened = [];
  services = await openProcess();
});
afterEach(async () => {
  for (const one of stopping.splice(0)) one.abort();
  await Promise.all(running.splice(0));
  await services.database.drop();
  for (const { threads, outbound, database } of opened) {
    await Promise.all([threads.evaluations.close(), threads.trials.close(), outbound.close()]);
    await database.close();
  }
});

function startDispatcher(consumer: EventConsumer, process = services): AbortController {
  const stop = new AbortController();
  stopping.push(stop);
  running.push(createDispatcher([consumer]).run(process, stop.signal));
  return stop;
}

/** Writes entries to a tenant's audit log, in one transaction. */
async function happen(tenantId: string, count = 1): Promise<void> {
  const entry = { action: 'tenant.update', actor_email: 'admin@test.example', target: 'tenant', result: 'success' } as const;
  const entries = Array.from({ length: count }, () => entry);
  await services.database.transaction((transaction) => getAuditLog(services).append(transaction, tenantId, new Date(), entries));
}

/** Takes entries down in the transaction in which they are handed out. */
function recorder(name: string, before: (tenantId: string) => Promise<void> = async () => undefined): EventConsumer {
  return {
    name,
    async prepare({ database }, tenantId, entries) {
      await before(tenantId);
      const rows = entries.map(({ seq }) => ({ _id: randomUUID(), tenant_id: tenantId, by: name, turn: turns++, seq }));
      return (transaction) => database.tenant(tenantId).collection(told).insertMany(rows, { transaction });
    },
  };
}

/** The positions in a tenant's audit log that consumers, or one of them, took down, in their order. */
const toldOf = async (tenantId: string, by?: string): Promise<number[]> =>
  (
    await services.database
      .tenant(tenantId)
      .collection(told)
      .find(by ? { by } : {}, { sort: { turn: 1 } })
  ).map(({ seq }) => seq);

/** Everything was handed out, and the dispatchers have noted it. */
const emptied = () =>
  until('an empty outbox', async () => {
    const { database } = services;
    return (await database.system(outbox).count({})) + (await database.system(waitingTenants).count({ due_at: { $ne: null } })) === 0;
  });
const rowOf = (tenantId: string) => services.database.tenant(tenantId).collection(waitingTenants).findOne({});

describe('the dispatcher', () => {
  it('hands out what happened in every tenant, in order and once, and looks at none where nothing waits', async () => {
    const tenants = Array.from({ length: 10 }, (_, n) => `t${n}`);
    for (const tenant of tenants) for (let n = 0; n < 3; n++) await happen(tenant, 2);
    startDispatcher(recorder('one'));
    await emptied();
    await happen('t3');
    await emptied();
    for (const tenant of tenants) {
      const positions = await toldOf(tenant);
      expect(positions).toHaveLength(tenant === 't3' ? 7 : 6);
      expect(positions).toEqual([...new Set(positions)].sort((one, other) => one - other));
    }
    expect(await rowOf('t3')).toMatchObject({ leased_by: null, leased_until: null, due_at: null });
  });

  it('of another process hands out nothing a second time', async () => {
    startDispatcher(recorder('one'));
    startDispatcher(recorder('other'), await openProcess());
    for (let n = 0; n < 60; n++) await happen(`t${n % 3}`);
    await emptied();
    for (const tenant of ['t0', 't1', 't2']) {
      const positions = await toldOf(tenant);
      expect(positions).toHaveLength(20);
      expect(new Set(positions).size).toBe(20);
    }
  });

  it('keeps the news of a tenant that is ended while it is at work on it', async () => {
    let isEnded = false;
    const consumer = recorder('one', async (tenantId) => {
      if (isEnded) return;
      isEnded = true;
      const end = { organization_id: 'o', ended_by: 'u', ended_at: new Date(), removal_at: new Date(), removing: false, removed: {} };
      await services.database
        .tenant(tenantId)
        .collection(tenantEnds)
        .insert({ _id: tenantId, tenant_id: tenantId, ...end });
      await happen(tenantId);
    });
    await happen('t1');
    startDispatcher(consumer);
    await until('an end to the work', async () => isEnded && (await rowOf('t1'))?.due_at === null);
    expect(await toldOf('t1')).toEqual([2]);
    expect(await services.database.tenant('t1').collection(outbox).count({})).toBe(1);
  });

  it('tries again what a consumer could not take, while other tenants go on', async () => {
    let failures = 0;
    const consumer = recorder('one', async (tenantId) => {
      if (tenantId === 'failing' && ++failures < 3) throw new Error('it may pass');
    });
    await happen('failing');
    startDispatcher(consumer);
    await until('a failure', () => failures > 0);
    await happen('other');
    await until('the other tenant', async () => (await toldOf('other')).length > 0);
    await emptied();
    expect(failures).toBe(3);
    expect(await toldOf('failing')).toHaveLength(1);
  });

  it('leaves what it is at to the next one when it stops', async () => {
    for (let n = 0; n < 3; n++) await happen('t', 1_000);
    const stop = startDispatcher(recorder('ending', async () => stop.abort()));
    await Promise.all(running.splice(0));
    // the step that it was in the middle of is whole
    expect(await toldOf('t')).toHaveLength(1_000);
    expect(await rowOf('t')).toMatchObject({ leased_by: null, leased_until: null });
    startDispatcher(recorder('next'));
    await emptied();
    expect(await toldOf('t', 'next')).toHaveLength(2_000);
  });

  it('of the release before has left a lease, which ends', async () => {
    const rows = services.database.tenant('t').collection<Record<string, unknown>>(waitingTenants as never);
    await rows.insert({ _id: 't', tenant_id: 't', leased_by: 'killed', leased_until: new Date(Date.now() - 1) });
    await happen('t');
    startDispatcher(recorder('one'));
    await until('the entry', async () => (await toldOf('t')).length === 1);
  });

  it("is in the way of no audited action, whatever it does with the tenant's lease", async () => {
    await happen('t');
    const rows = services.database.tenant('t').collection(waitingTenants);
    await rows.insert({ _id: 't', tenant_id: 't', due_at: new Date(), ...NEVER_LEASED });
    let begun = 0;
    await services.database.transaction(async (transaction) => {
      await rows.update({ _id: 't' }, { $set: { leased_until: new Date() } }, { transaction });
      await services.database.transaction(async (inner) => {
        begun++;
        await getAuditLog(services).append(inner, 't', new Date(), [
          { action: 'tenant.update', actor_email: 'admin@test.example', target: 'tenant', result: 'success' },
        ]);
      });
    });
    expect(begun).toBe(1);
  });
});
