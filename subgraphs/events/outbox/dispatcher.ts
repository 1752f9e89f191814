import { auditLog } from '../../../kit/audit/audit.js';
import { entriesOf } from '../../../kit/audit/entries.js';
import type { BackgroundTask } from '../../../kit/engine/background.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { workOffDue, type DueWork } from '../../../kit/work/due.js';
import { outbox, type OutboxRow } from '../../../kit/work/outbox.js';
import { isEnded } from '../../../kit/work/tenant-ends.js';
import { Wakeup } from '../../../kit/work/wakeup.js';
import type { EventConsumer } from './consumer.js';
import { findWaitingTenants, waitingTenants, type WaitingTenantRow } from './waiting-tenants.js';

/** Entries handed out in one transaction, unless one outbox row alone holds more. */
const MAX_ENTRIES = 1_000;
/** Outbox rows read at a time. */
const MAX_ROWS = 200;
/** Transactions for one tenant before the others have their turn. */
const MAX_STEPS = 20;
/** Tenants served at the same time. */
const CONCURRENT_TENANTS = 4;
/** Milliseconds until entries that could not be handed out are tried again. */
const RETRY_MS = 1_000;

/** Another worker has handed out the same rows first. */
class HandedOut extends Error {
  override readonly name = 'HandedOut';
}

/** Hands out the entries of every tenant's audit log to `consumers`, in order, for as long as the worker lives. */
export function createDispatcher(consumers: readonly EventConsumer[]): BackgroundTask {
  return {
    name: 'outbox',
    async run(services, stopping) {
      const { storeClock, logger } = services;
      const due = new Wakeup();
      const work: DueWork<WaitingTenantRow> = {
        name: 'outbox',
        collection: waitingTenants,
        atATime: CONCURRENT_TENANTS,
        wakeup: due,
        async run({ row, signal }) {
          for (let steps = 0; steps < MAX_STEPS && !signal.aborted; steps++)
            if (!(await step(services, consumers, row.tenant_id))) return { due_at: null };
          return { due_at: storeClock.now() };
        },
        failed({ row }, error) {
          if (!(error instanceof HandedOut)) logger.error({ err: error, tenant: row.tenant_id }, 'events could not be handed out');
          return { due_at: new Date(storeClock.now().getTime() + RETRY_MS) };
        },
      };
      await Promise.all([findWaitingTenants(services, due, stopping), workOffDue(services, work, stopping)]);
    },
  };
}

/** Hands out the oldest range of a tenant in one transaction. @returns whether more may wait that is to be handed out now */
async function step(services: EngineServices, consumers: readonly EventConsumer[], tenantId: string): Promise<boolean> {
  const { database } = services;
  const tenant = database.tenant(tenantId);
  const rows = await tenant.collection(outbox).find({}, { sort: { first_seq: 1 }, limit: MAX_ROWS });
  if (rows.length === 0) return false;
  // asked after the rows were read, so the news of the end is never among them
  if (await isEnded(database, tenantId)) return false;
  // asked after the rows were read, so who began to listen in between misses nothing that came later
  const listening = await Promise.all(consumers.map(async (consumer) => (await consumer.listens?.(services, tenantId)) ?? true));
  const asked = consumers.filter((_, n) => listening[n]);
  const range = asked.length ? oneBatch(rows) : rows;
  const seq = { $gte: range[0]!.first_seq, $lte: range.at(-1)!.last_seq };
  const told = asked.length ? await tenant.collection(auditLog).find({ seq }, { sort: { seq: 1 } }) : [];
  const entries = told.flatMap(entriesOf);
  const writes = await Promise.all(asked.map((consumer) => consumer.prepare(services, tenantId, entries)));
  await database.transaction(async (transaction) => {
    const removed = await tenant.collection(outbox).remove({ _id: { $in: range.map(({ _id }) => _id) } }, { transaction });
    if (removed !== range.length) throw new HandedOut();
    for (const write of writes) await write?.(transaction);
  });
  // who brings more meanwhile finds the tenant being served, and has it served again
  return rows.length === MAX_ROWS || range.length < rows.length;
}

/** The first of the rows, as many as make one batch of entries. */
function oneBatch(rows: readonly OutboxRow[]): readonly OutboxRow[] {
  const first = rows[0]!.first_seq;
  const end = rows.findIndex(({ last_seq }) => last_seq - first >= MAX_ENTRIES);
  return end === -1 ? rows : rows.slice(0, Math.max(end, 1));
}
