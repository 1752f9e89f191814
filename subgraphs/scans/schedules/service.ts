import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { AuditAction } from '../../../kit/audit/entry.js';
import { invalid, notFound, preconditionFailed, violationsOf } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { checkTimetable, type Timetable } from '../../../kit/work/cron.js';
import { newlyTimed, timed } from '../../../kit/work/schedule.js';
import { checkCoverage, type CoverageInput } from '../definitions/coverage-input.js';
import { runRefs } from '../definitions/list.js';
import { scanIdOf, type ScanCoverage } from '../definitions/records.js';
import { noteScan } from '../definitions/start.js';
import { scheduleRowId, schedules, type ScheduleRow } from './records.js';

/** Schedules of a tenant, and milliseconds between two firings. */
const MOST_SCHEDULES = 500;
const SHORTEST_MS = 15 * 60_000;

/** What a client says of a schedule; a change leaves out what stays. */
export interface ScheduleInput extends Partial<Timetable> {
  name?: string | null;
  scope?: CoverageInput | null;
  enabled?: boolean | null;
}

const nameSchema = z.object({ name: z.string().trim().min(1).max(100) });

/** The tenant's schedules, by id. */
export async function listSchedules(context: EngineContext, args: PageArguments) {
  const window = pageWindow(args);
  const rows = context.collection(schedules);
  const [items, total] = await Promise.all([
    rows.find({}, { sort: { schedule_id: 1 }, skip: window.skip, limit: window.limit }),
    rows.count({}),
  ]);
  return toPage(await shown(context, items), total, window);
}

/**
 * Makes a schedule. It runs with the rights of whoever sets it.
 * @throws PalisadeError VALIDATION_ERROR
 */
export async function createSchedule(context: EngineContext, input: ScheduleInput) {
  const { auth, services } = context;
  const set = await checked(context, { name: input.name ?? undefined, timetable: timetableOf(input), scope: input.scope ?? {} });
  const enabled = input.enabled ?? true;
  const schedule_id = randomUUID();
  const now = services.clock.now();
  const row: ScheduleRow = {
    ...{ _id: scheduleRowId(auth.tenant_id, schedule_id), tenant_id: auth.tenant_id, schedule_id },
    ...{ name: set.name, scan_id: scanIdOf(set.coverage), ...members(set.coverage), enabled, owner: ownerOf(context) },
    ...{ paused_reason: null, last_run_id: null, created_at: now, updated_at: now },
    ...newlyTimed(set.timetable, enabled, services.storeClock.now()),
  };
  await context.transaction(async (transaction) => {
    const rows = context.collection(schedules);
    if ((await rows.count({}, { transaction })) >= MOST_SCHEDULES)
      throw invalid([{ path: 'name', message: `a tenant may have ${MOST_SCHEDULES} schedules` }]);
    await noteScan(context, set.coverage, set.provider, null, transaction);
    await rows.insert(row, { transaction });
    await audit(context, transaction, 'schedule.create', row);
  });
  return (await shown(context, [row]))[0]!;
}

/**
 * Changes a schedule, or pauses it and lets it go on. It runs with the rights of whoever has changed it from now on.
 * @throws PalisadeError NOT_FOUND; VALIDATION_ERROR; PRECONDITION_FAILED when another has changed it meanwhile
 */
export async function changeSchedule(context: EngineContext, scheduleId: string, input: ScheduleInput) {
  const { auth, services } = context;
  const rows = context.collection(schedules);
  const _id = scheduleRowId(auth.tenant_id, scheduleId);
  const before = await rows.findOne({ _id });
  if (!before) throw notFound('Schedule');
  const timetable = timetableOf({ cron: input.cron ?? before.cron!, time_zone: input.time_zone ?? before.time_zone! });
  const set = await checked(context, { name: input.name ?? before.name, timetable, scope: input.scope ?? before });
  const enabled = input.enabled ?? before.enabled;
  const change = {
    ...{ name: set.name, scan_id: scanIdOf(set.coverage), ...members(set.coverage), enabled, owner: ownerOf(context) },
    ...{ paused_reason: null, updated_at: services.clock.now() },
    ...timed(set.timetable, enabled, services.storeClock.now()),
  };
  const row = await context.transaction(async (transaction) => {
    await noteScan(context, set.coverage, set.provider, null, transaction);
    const same = { _id, updated_at: before.updated_at };
    const changed = await rows.findAndUpdate(same, { $set: change }, { returnNew: true, transaction });
    if (!changed) throw preconditionFailed('The schedule has changed meanwhile: try again');
    await audit(context, transaction, 'schedule.update', changed);
    return changed;
  });
  return (await shown(context, [row]))[0]!;
}

/** Deletes a schedule; its runs stay. @throws PalisadeError NOT_FOUND */
export async function deleteSchedule(context: EngineContext, scheduleId: string): Promise<true> {
  const rows = context.collection(schedules);
  const _id = scheduleRowId(context.auth.tenant_id, scheduleId);
  await context.transaction(async (transaction) => {
    const row = await rows.findOne({ _id }, { transaction });
    if (!row) throw notFound('Schedule');
    await rows.remove({ _id }, { transaction });
    await audit(context, transaction, 'schedule.delete', row);
  });
  return true;
}

const timetableOf = ({ cron = '', time_zone = '' }: Partial<Timetable>): Timetable => ({ cron, time_zone });

async function checked(context: EngineContext, given: { name: string | undefined; timetable: Timetable; scope: CoverageInput }) {
  const name = nameSchema.safeParse({ name: given.name });
  const times = checkTimetable(given.timetable, context.services.storeClock.now(), 'timetable', SHORTEST_MS);
  const wrong = [
    ...(name.success ? [] : violationsOf(name.error)),
    // the members of the timetable stand by themselves in the body
    ...times.map(({ path, message }) => ({ path: path.replace('timetable.', ''), message })),
  ];
  if (wrong.length > 0 || !name.success) throw invalid(wrong);
  return { name: name.data.name, timetable: given.timetable, ...(await checkCoverage(context, given.scope)) };
}

const members = ({ account_id, regions, services, engines }: ScanCoverage) => ({
  ...{ account_id, regions: [...regions], services: [...services], engines: [...engines] },
});

function ownerOf({ auth: { reading: _, ...owner } }: EngineContext): ScheduleRow['owner'] {
  return owner;
}

async function shown(context: EngineContext, rows: readonly ScheduleRow[]) {
  const runs = await runRefs(
    context,
    rows.map(({ last_run_id }) => last_run_id),
  );
  return rows.map(({ schedule_id, name, scan_id, account_id, regions, services, engines, owner, last_run_id, ...row }) => ({
    ...{ schedule_id, name, scan_id, cron: row.cron, time_zone: row.time_zone },
    scope: { account_id, regions, services, engines },
    ...{ enabled: row.enabled, next_run_at: row.next_run_at, paused_reason: row.paused_reason, owner: owner.email },
    last_run: last_run_id === null ? null : (runs.get(last_run_id) ?? null),
    ...{ created_at: row.created_at, updated_at: row.updated_at },
  }));
}

function audit(context: EngineContext, transaction: TransactionOf, action: AuditAction, row: ScheduleRow): Promise<void> {
  const { name, cron, time_zone, enabled, account_id, regions, services, engines } = row;
  const detail = { name, cron, time_zone, enabled, account_id, regions, services, engines };
  const { email: actor_email } = context.auth;
  return context.audit(transaction, { action, actor_email, target: `schedule:${row.schedule_id}`, result: 'success', detail });
}
