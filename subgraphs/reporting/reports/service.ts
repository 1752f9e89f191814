import { z } from 'zod';
import { holds, type AuthContext } from '../../../kit/base/auth-context.js';
import { assertClientId } from '../../../kit/base/client-id.js';
import { invalid, violationsOf } from '../../../kit/base/errors.js';
import { setMembers } from '../../../kit/base/set-members.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { readMembers } from '../../../kit/read/members.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import { checkTimetable, type Timetable } from '../../../kit/work/cron.js';
import { newlyTimed, timed } from '../../../kit/work/schedule.js';
import { prepareExport, subjectOf } from '../exports/input.js';
import type { SubjectKind } from '../formats/format.js';
import type { Filter } from '../subjects/subject.js';
import { assertBuckets } from './buckets.js';
import { reportRowId, reports, type Recipient, type ReportRow, type RunFile } from './records.js';

/** Reports of a tenant, frameworks and recipients of a report, and milliseconds between two firings. */
const MOST_REPORTS = 200;
const MOST_FRAMEWORKS = 10;
const MOST_RECIPIENTS = 50;
const SHORTEST_MS = 3_600_000;

export interface ReportInput {
  name: string;
  format: string;
  findings?: object | null;
  assets?: object | null;
  frameworks?: readonly string[] | null;
  audit_log?: object | null;
  schedule?: Timetable | null;
  recipients?: readonly string[] | null;
  buckets?: readonly string[] | null;
  enabled?: boolean | null;
}

const nameSchema = z.strictObject({ name: z.string().trim().min(1).max(100) });

/** What a report is about: a file a framework, else one. @throws PalisadeError VALIDATION_ERROR */
function filesOf({ frameworks, ...input }: ReportInput): { subject: SubjectKind; filters: Filter[] } {
  if (frameworks == null) {
    const { subject, filter } = subjectOf({ ...input, framework: null });
    return { subject, filters: [filter] };
  }
  subjectOf({ format: input.format, findings: input.findings, assets: input.assets, audit_log: input.audit_log, framework: {} });
  const named = [...new Set(frameworks)];
  if (named.length === 0 || named.length > MOST_FRAMEWORKS)
    throw invalid([{ path: 'frameworks', message: `must name 1 to ${MOST_FRAMEWORKS} frameworks` }]);
  return { subject: 'framework', filters: named.map((framework_id) => ({ framework_id })) };
}

/** The members behind what a report names. @throws PalisadeError VALIDATION_ERROR for whoever is none */
async function recipientsOf(context: EngineContext, named: readonly string[]): Promise<Recipient[]> {
  if (named.length > MOST_RECIPIENTS) throw invalid([{ path: 'recipients', message: `must name at most ${MOST_RECIPIENTS} people` }]);
  const members = await readMembers(context, named);
  const strangers = named.flatMap((one, n) =>
    members.some(({ email, user_id }) => user_id === one || email.toLowerCase() === one.toLowerCase())
      ? []
      : [{ path: `recipients.${n}`, message: 'is no member of the tenant who can sign in' }],
  );
  if (strangers.length > 0) throw invalid(strangers);
  return members.map(({ user_id, email }) => ({ user_id, email }));
}

/**
 * Makes the report of an id, or replaces it. It runs with the rights of whoever sets it.
 * @throws PalisadeError VALIDATION_ERROR; FORBIDDEN for what the caller may not read
 */
export async function setReport(context: EngineContext, id: string, input: ReportInput) {
  assertClientId(id);
  const { auth, services } = context;
  const now = services.storeClock.now();
  const { schedule = null, enabled } = input;
  const name = nameSchema.safeParse({ name: input.name });
  const wrong = [
    ...(name.success ? [] : violationsOf(name.error)),
    ...(schedule ? checkTimetable(schedule, now, 'schedule', SHORTEST_MS) : []),
  ];
  if (wrong.length > 0) throw invalid(wrong);
  const { subject, filters } = filesOf(input);
  for (const filter of filters) await prepareExport(context, subject, filter, input.format);
  const recipients = await recipientsOf(context, [...new Set(input.recipients ?? [])]);
  const buckets = await assertBuckets(context, input.buckets ?? []);
  const isOn = enabled ?? true;
  const { reading: _, ...owner } = auth;
  const given = {
    ...{ name: name.data!.name, format: input.format, subject, filters: filters.map((filter) => setMembers(filter)) },
    ...{ recipients, buckets, owner },
    ...{ enabled: isOn, paused_reason: null, updated_at: services.clock.now() },
  };
  const rows = context.collection(reports);
  const _id = reportRowId(auth.tenant_id, id);
  return context.transaction(async (transaction) => {
    const before = await rows.findOne({ _id }, { transaction });
    if (!before && (await rows.count({}, { transaction })) >= MOST_REPORTS)
      throw invalid([{ path: 'report_id', message: `a tenant may have ${MOST_REPORTS} reports` }]);
    const row: ReportRow = before
      ? { ...before, ...given, ...timed(schedule, isOn, now) }
      : {
          ...{ _id, tenant_id: auth.tenant_id, report_id: id, ...given, ...newlyTimed(schedule, isOn, now) },
          ...{ last_run: null, created_at: given.updated_at },
        };
    if (before) await rows.update({ _id }, { $set: { ...given, ...timed(schedule, isOn, now) } }, { transaction });
    else await rows.insert(row, { transaction });
    const detail = {
      name: given.name,
      subject,
      format: input.format,
      schedule,
      enabled: isOn,
      recipients: recipients.map(({ email }) => email),
      buckets,
    };
    await context.audit(transaction, { action: 'report.set', actor_email: auth.email, target: `report:${id}`, result: 'success', detail });
    return view(row, auth);
  });
}

/** A report as the caller may see it: where its files are sent is for those who may read integrations. */
function view(row: ReportRow, auth: AuthContext) {
  const { cron, time_zone, filters, subject } = row;
  const seesBuckets = holds(auth, 'tenants:read');
  const fileOf = (file: RunFile) => ({ ...file, puts: seesBuckets ? (file.puts ?? []) : null });
  return {
    ...{ report_id: row.report_id, name: row.name, format: row.format, subject, enabled: row.enabled },
    filter: subject === 'framework' ? null : (filters[0] ?? {}),
    frameworks: subject === 'framework' ? filters.map(({ framework_id }) => framework_id) : [],
    schedule: cron === null ? null : { cron, time_zone },
    next_run_at: row.next_run_at,
    recipients: row.recipients.map(({ email }) => email),
    buckets: seesBuckets ? (row.buckets ?? []) : null,
    owner: row.owner.email,
    last_run: row.last_run && { ...row.last_run, files: row.last_run.files.map(fileOf) },
    ...{ paused_reason: row.paused_reason, created_at: row.created_at, updated_at: row.updated_at },
  };
}

/** The tenant's reports, by id. */
export async function listReports(context: EngineContext, args: PageArguments) {
  const window = pageWindow(args);
  const rows = context.collection(reports);
  const [total, found] = await Promise.all([
    rows.count({}),
    rows.find({}, { sort: { report_id: 1 }, skip: window.skip, limit: window.limit }),
  ]);
  return toPage(
    found.map((row) => view(row, context.auth)),
    total,
    window,
  );
}
