import { randomUUID } from 'node:crypto';
import type { BackgroundTask } from '../../../kit/engine/background.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { LEASE_MS } from '../../../kit/work/lease.js';
import { endedTenants } from '../../../kit/work/tenant-ends.js';
import { Gate } from './gate.js';
import { WebhookQueue } from './queue.js';
import { webhookQueues, senderWakeup, type WebhookQueueRow } from './queue-record.js';

/** Milliseconds between two looks for queues that are due when nothing wakes the sender. */
const POLL_MS = 500;
/** Webhooks served, and messages in flight, at the same time in one process. */
const MAX_QUEUES = 64;
const MAX_IN_FLIGHT = 64;
/** Milliseconds that messages in flight get when the process stops. */
const GRACE_MS = 3_000;

/** Takes the queue of a webhook that is due and that no living worker has, or null. */
async function leaseQueue({ database, clock }: EngineServices): Promise<WebhookQueueRow | null> {
  const now = clock.now();
  const tenant_id = { $nin: await endedTenants(database) };
  const due = { tenant_id, due_at: { $lte: now }, not_before: { $lte: now }, leased_until: { $lte: now } };
  const taken = { $set: { leased_by: randomUUID(), leased_until: new Date(now.getTime() + LEASE_MS) } };
  return database.system(webhookQueues).findAndUpdate(due, taken, { sort: { due_at: 1 }, returnNew: true });
}

/** Sends what webhooks are to be told, for as long as the worker lives. The order in which an endpoint gets its messages is not promised. */
export const webhookSender: BackgroundTask = {
  name: 'webhooks',
  async run(services, stopping) {
    const { database, logger } = services;
    const wakeup = senderWakeup(database);
    const aborting = new AbortController();
    stopping.addEventListener('abort', () => setTimeout(() => aborting.abort(), GRACE_MS).unref());
    const shared = { services, gate: new Gate(MAX_IN_FLIGHT), stopping, aborting: aborting.signal };
    const running = new Set<Promise<void>>();
    const start = (row: WebhookQueueRow) => {
      const one: Promise<void> = new WebhookQueue(row, shared)
        .empty()
        .catch((error: unknown) => logger.error({ err: error, webhook: row.webhook_id }, 'sending the queue of a webhook broke off'))
        .finally(() => {
          running.delete(one);
          wakeup.wake();
        });
      running.add(one);
    };
    while (!stopping.aborted) {
      const turn = wakeup.turn;
      while (running.size < MAX_QUEUES && !stopping.aborted) {
        const row = await leaseQueue(services).catch((error: unknown) => {
          logger.warn({ err: error }, 'the queues of webhooks cannot be read');
          return null;
        });
        if (!row) break;
        start(row);
      }
      await wakeup.sleep(POLL_MS, stopping, turn);
    }
    await Promise.all(running);
  },
};
