import { randomUUID } from 'node:crypto';
import { auditLog } from '../../../kit/audit/audit.js';
import type { BackgroundTask } from '../../../kit/engine/background.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { outbox, outboxWakeup, type OutboxRow } from '../../../kit/work/outbox.js';
import { endedTenants } from '../../../kit/work/tenant-ends.js';
import type { EventConsumer } from './consumer.js';
import { OutboxLease } from './lease.js';

/** Milliseconds between two looks at the outbox when nothing wakes the dispatcher. */
const POLL_MS = 1_000;
/** Entries handed out in one transaction, unless one outbox row alone holds more. */
const MAX_ENTRIES = 1_000;
/** Outbox rows read at a time. */
const MAX_ROWS = 200;
/** Transactions for one tenant before the others have their turn. */
const MAX_STEPS = 20;
/** Tenants served at the same time. */
const CONCURRENT_TENANTS = 4;

/** Another worker has handed out the same rows first. */
class HandedOut extends Error {
  override readonly name = 'HandedOut';
}

/** Hands out the entries of every tenant's audit log to `consumers`, in order, for as long as the worker lives. */
export function createDispatcher(consumers: readonly EventConsumer[]): BackgroundTask {
  return {
    name: 'outbox',
    async run(services, signal) {
      const wakeup = outboxWakeup(services.database);
      const worker = randomUUID();
      while (!signal.aborted) {
        const turn = wakeup.turn;
        const tenant_id = { $nin: await endedTenants(services.database) };
        const waiting = (await services.database.system(outbox).distinct('tenant_id', { tenant_id })) as string[];
        const serve = async () => {
          for (let tenantId = waiting.shift(); tenantId !== undefined && !signal.aborted; tenantId = waiting.shift())
            if (await handOut(services, consumers, tenantId, worker, signal)) wakeup.wake();
        };
        await Promise.all(Array.from({ length: CONCURRENT_TENANTS }, serve));
        await wakeup.sleep(POLL_MS, signal, turn);
      }
    },
  };
}

/** Hands out what waits in one tenant. @returns whether there may be more. A failure is logged, and the rows wait for the next look. */
async function handOut(
  services: EngineServices,
  consumers: readonly EventConsumer[],
  tenantId: string,
  worker: string,
  signal: AbortSignal,
): Promise<boolean> {
  const lease = new OutboxLease(services, tenantId, worker);
  try {
    for (let steps = 0; steps < MAX_STEPS; steps++) {
      if (signal.aborted || !(await lease.hold())) return false;
      if (!(await step(services, consumers, tenantId))) return false;
    }
    return true;
  } catch (error) {
    if (!(error instanceof HandedOut)) services.logger.error({ err: error, tenant: tenantId }, 'events could not be handed out');
    return false;
  } finally {
    await lease.release().catch((error: unknown) => services.logger.warn({ err: error }, 'the lease of an outbox runs out by itself'));
  }
}

/** Hands out the oldest range of a tenant in one transaction. @returns false when nothing waited */
async function step(services: EngineServices, consumers: readonly EventConsumer[], tenantId: string): Promise<boolean> {
  const { database } = services;
  const tenant = database.tenant(tenantId);
  const rows = await tenant.collection(outbox).find({}, { sort: { first_seq: 1 }, limit: MAX_ROWS });
  if (rows.length === 0) return false;
  // asked after the rows were read, so who began to listen in between misses nothing that came later
  const listening = await Promise.all(consumers.map(async (consumer) => (await consumer.listens?.(services, tenantId)) ?? true));
  const asked = consumers.filter((_, n) => listening[n]);
  const range = asked.length ? oneBatch(rows) : rows;
  const seq = { $gte: range[0]!.first_seq, $lte: range.at(-1)!.last_seq };
  const entries = asked.length ? await tenant.collection(auditLog).find({ seq }, { sort: { seq: 1 } }) : [];
  const writes = await Promise.all(asked.map((consumer) => consumer.prepare(services, tenantId, entries)));
  await database.transaction(async (transaction) => {
    const removed = await tenant.collection(outbox).remove({ _id: { $in: range.map(({ _id }) => _id) } }, { transaction });
    if (removed !== range.length) throw new HandedOut();
    for (const write of writes) await write?.(transaction);
  });
  return true;
}

/** The first of the rows, as many as make one batch of entries. */
function oneBatch(rows: readonly OutboxRow[]): readonly OutboxRow[] {
  const first = rows[0]!.first_seq;
  const end = rows.findIndex(({ last_seq }) => last_seq - first >= MAX_ENTRIES);
  return end === -1 ? rows : rows.slice(0, Math.max(end, 1));
}
