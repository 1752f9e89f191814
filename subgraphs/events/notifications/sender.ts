import type { BackgroundTask } from '../../../kit/engine/background.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { PalisadeError } from '../../../kit/base/errors.js';
import { backOff, workOffDue, type Outcome } from '../../../kit/work/due.js';
import { ChannelError } from '../channels/channel-error.js';
import { deliver, Skipped } from './deliver.js';
import { notifications, type NotificationRow } from './records.js';

const SECOND = 1_000;
const [MINUTE, HOUR] = [60 * SECOND, 3_600 * SECOND];
/** Milliseconds before each further try: a day in all. */
const RETRIES = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 8 * HOUR];
/** Messages that one process sends at a time, and of one tenant: slow targets of a tenant hold up no other's. */
const AT_A_TIME = 16;
const OF_A_TENANT = 2;

/** Sends what is due, in every worker process. */
export const senderTask: BackgroundTask = {
  name: 'notification-rules.send',
  run: (services, stopping) =>
    workOffDue(
      services,
      {
        name: 'notifications',
        collection: notifications,
        atATime: AT_A_TIME,
        ofATenant: OF_A_TENANT,
        onTake: { $set: { state: 'sending' }, $inc: { attempts: 1 } },
        onGiveBack: { $set: { state: 'waiting' }, $inc: { attempts: -1 } },
        async run({ row, signal }) {
          await deliver(services, signal, row);
          return final(services, 'sent', null);
        },
        failed: ({ row }, error) => afterFailure(services, row, error),
      },
      stopping,
    ),
};

const final = ({ clock }: EngineServices, state: NotificationRow['state'], error: string | null): Outcome<NotificationRow> => ({
  due_at: null,
  set: { state, error, finished_at: clock.now() },
});

function afterFailure(services: EngineServices, row: NotificationRow, error: unknown): Outcome<NotificationRow> {
  const { logger, storeClock } = services;
  if (error instanceof Skipped) return final(services, 'skipped', error.message);
  const isKnown = error instanceof ChannelError;
  if (!isKnown && !(error instanceof PalisadeError)) logger.error({ err: error, notification: row._id }, 'a notification was not sent');
  const reason = isKnown ? error.message : 'the message could not be prepared';
  const mayRetry = (!isKnown || error.retry) && row.attempts <= RETRIES.length;
  if (!mayRetry) return final(services, 'failed', reason);
  return { due_at: new Date(storeClock.now().getTime() + backOff(RETRIES, row.attempts)), set: { state: 'waiting', error: reason } };
}
