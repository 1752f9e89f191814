import { SYSTEM_ACTOR } from '../../../kit/base/auth-context.js';
import { PalisadeError } from '../../../kit/base/errors.js';
import type { BackgroundTask } from '../../../kit/engine/background.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { JobHandler } from '../../../kit/engine/job.js';
import { OwnerLessened, ownerNow } from '../../../kit/read/owner.js';
import { workOffDue } from '../../../kit/work/due.js';
import { scheduledWork } from '../../../kit/work/schedule.js';
import { startScan } from '../definitions/start.js';
import { schedules, type ScheduleRow } from './records.js';

export const FIRE_SCHEDULE = 'scans.schedule';

/** Fires schedules by their timetables: a firing is a job, which starts the scan. */
export const fireSchedules: BackgroundTask = {
  name: 'scans.schedules',
  run: (services, stopping) =>
    workOffDue(
      services,
      scheduledWork<ScheduleRow>(services, {
        name: 'schedules of scans',
        collection: schedules,
        async begin({ _id, owner }, firing, transaction) {
          await services.jobs.add(transaction, owner, FIRE_SCHEDULE, { schedule: _id, fired_at: firing.toISOString() });
          return {};
        },
        begun: () => services.jobs.wake(),
      }),
      stopping,
    ),
};

/** Starts the scan of a firing with the rights that the schedule's owner has now; tried again, it is the same run. */
export const fireScheduleJob: JobHandler = {
  async run({ context, payload }) {
    const row = await context.collection(schedules).findOne({ _id: String(payload['schedule']) });
    if (!row) return;
    const { account_id, regions, services, engines } = row;
    const scan_run_id = `${row.schedule_id}:${String(payload['fired_at'])}`;
    try {
      const owner = await ownerNow(context, ['scans:create']);
      await startScan(owner, { scan_run_id, account_id, regions, services, engines }, 'schedule');
      await context.collection(schedules).update({ _id: row._id }, { $set: { last_run_id: scan_run_id } });
    } catch (error) {
      if (error instanceof OwnerLessened) return pause(context, row, error.message);
      if (!(error instanceof PalisadeError) || error.code !== 'VALIDATION_ERROR') throw error;
      const detail = error.extensions['detail'] as { message?: string }[] | null;
      return pause(context, row, [error.message, ...(detail ?? []).flatMap(({ message }) => message ?? [])].join(': '));
    }
  },
  async giveUp({ context, payload }, reason) {
    context.services.logger.error({ schedule: payload['schedule'], reason }, 'the scan of a schedule could not be started');
  },
};

/** A schedule whose owner is gone or lessened, or whose account cannot be scanned, begins no more until somebody changes it. */
async function pause(context: EngineContext, row: ScheduleRow, reason: string): Promise<void> {
  await context.transaction(async (transaction) => {
    // changed meanwhile, it is another's
    const same = { _id: row._id, updated_at: row.updated_at };
    const paused = { paused_reason: reason, next_run_at: null, due_at: null };
    const { matched } = await context.collection(schedules).update(same, { $set: paused }, { transaction });
    if (matched === 0) return;
    const target = `schedule:${row.schedule_id}`;
    await context.audit(transaction, {
      action: 'schedule.pause',
      actor_email: SYSTEM_ACTOR,
      target,
      result: 'success',
      detail: { reason },
    });
  });
}
