import type { BackgroundTask } from '../../../kit/engine/background.js';
import { workOffDue } from '../../../kit/work/due.js';
import { Gate } from './gate.js';
import { WebhookQueue } from './queue.js';
import { webhookQueues, senderWakeup } from './queue-record.js';

/** Milliseconds between two looks for queues that are due when nothing wakes the sender. */
const POLL_MS = 500;
/** Webhooks served at the same time in one process, those of one tenant among them, and messages in flight. */
const MAX_QUEUES = 64;
const OF_A_TENANT = 16;
const MAX_IN_FLIGHT = 64;
/** Milliseconds that messages in flight get when the process stops. */
const GRACE_MS = 3_000;
/** Milliseconds for which a queue rests that could not be worked off because of a failure on our side. */
const RETRY_MS = 10_000;

/** Sends what webhooks are to be told, for as long as the worker lives. The order in which an endpoint gets its messages is not promised. */
export const webhookSender: BackgroundTask = {
  name: 'webhooks',
  run(services, stopping) {
    const { database, storeClock, logger } = services;
    const sending = { services, gate: new Gate(MAX_IN_FLIGHT), stopping };
    return workOffDue(
      services,
      {
        name: 'webhooks',
        collection: webhookQueues,
        atATime: MAX_QUEUES,
        ofATenant: OF_A_TENANT,
        wakeup: senderWakeup(database),
        pollMs: POLL_MS,
        graceMs: GRACE_MS,
        run: (taken) => new WebhookQueue(taken, sending).empty(),
        failed({ row }, error) {
          logger.error({ err: error, webhook: row.webhook_id }, 'sending the queue of a webhook broke off');
          return { due_at: new Date(storeClock.now().getTime() + RETRY_MS) };
        },
      },
      stopping,
    );
  },
};
