import type { BackgroundTask } from '../../../kit/engine/background.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { PalisadeError } from '../../../kit/base/errors.js';
import { endedTenants } from '../../../kit/work/tenant-ends.js';
import { Wakeup } from '../../../kit/work/wakeup.js';
import { ChannelError } from '../channels/channel-error.js';
import { deliver, Skipped } from './deliver.js';
import { notifications, type NotificationRow } from './records.js';

const SECOND = 1_000;
const [MINUTE, HOUR] = [60 * SECOND, 3_600 * SECOND];
/** Milliseconds before each further try: a day in all. */
const RETRIES = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 8 * HOUR];
/** Milliseconds after which another worker takes a message whose worker is silent: a batch of tickets takes the longest. */
const LEASE = 5 * MINUTE;
/** Messages that one process sends at a time, and of one tenant: slow targets of a tenant hold up no other's. */
const AT_A_TIME = 16;
const OF_A_TENANT = 2;

/** Sends what is due, in every worker process. */
export const senderTask: BackgroundTask = {
  name: 'notification-rules.send',
  async run(services, signal) {
    const running = new Map<Promise<void>, string>();
    const wakeup = new Wakeup();
    const start = (row: NotificationRow) => {
      const one: Promise<void> = send(services, signal, row)
        .catch((error: unknown) => services.logger.error({ err: error, notification: row._id }, 'the end of a notification was not noted'))
        .finally(() => {
          running.delete(one);
          wakeup.wake();
        });
      running.set(one, row.tenant_id);
    };
    try {
      while (!signal.aborted) {
        const turn = wakeup.turn;
        const taken = running.size < AT_A_TIME ? await take(services, served([...running.values()])) : null;
        if (taken) start(taken);
        else await wakeup.sleep(SECOND, signal, turn);
      }
    } finally {
      await Promise.all(running.keys());
    }
  },
};

/** The tenants of whose messages no more are sent at the moment. */
const served = (tenantIds: readonly string[]): string[] =>
  [...new Set(tenantIds)].filter((id) => tenantIds.filter((other) => other === id).length >= OF_A_TENANT);

/** Takes the message that has been due for longest, of any tenant but those, or null. */
async function take({ database, clock }: EngineServices, without: readonly string[]): Promise<NotificationRow | null> {
  const now = clock.now();
  const due = { next_at: { $lte: now }, tenant_id: { $nin: [...without, ...(await endedTenants(database))] } };
  const taken = { $set: { state: 'sending', next_at: new Date(now.getTime() + LEASE) }, $inc: { attempts: 1 } };
  return database.system(notifications).findAndUpdate(due, taken, { sort: { next_at: 1 }, returnNew: true });
}

async function send(services: EngineServices, signal: AbortSignal, row: NotificationRow): Promise<void> {
  const end = await deliver(services, signal, row).then(
    () => ({ state: 'sent', error: null }),
    (error: unknown) => ended(services, row, error),
  );
  const now = services.clock.now();
  const rows = services.database.tenant(row.tenant_id).collection(notifications);
  // a message whose lease has passed to another worker is that one's to end
  const own = { _id: row._id, state: 'sending', attempts: row.attempts };
  if (end.state !== 'waiting') await rows.update(own, { $set: { ...end, next_at: null, finished_at: now } });
  else if (signal.aborted) await rows.update(own, { $set: { state: 'waiting', next_at: now }, $inc: { attempts: -1 } });
  else await rows.update(own, { $set: { ...end, next_at: new Date(now.getTime() + RETRIES[row.attempts - 1]!) } });
}

function ended({ logger }: EngineServices, row: NotificationRow, error: unknown): { state: NotificationRow['state']; error: string } {
  if (error instanceof Skipped) return { state: 'skipped', error: error.message };
  const isKnown = error instanceof ChannelError;
  if (!isKnown && !(error instanceof PalisadeError)) logger.error({ err: error, notification: row._id }, 'a notification was not sent');
  const mayRetry = !isKnown || error.retry;
  const state = mayRetry && row.attempts <= RETRIES.length ? 'waiting' : 'failed';
  return { state, error: isKnown ? error.message : 'the message could not be prepared' };
}
