import type { JobRun } from '../../../kit/engine/job.js';
import { cdrDetectionEvents, cdrDetections, eventsOfDetection, type DetectionRow } from '../detections/records.js';
import { tenantPrefix } from '../events/records.js';

const DAY = 86_400_000;
/** Rows that are read at a time. */
const BATCH = 200;
const NOTHING = { actors: [], actions: [], services: [], outcomes: [], sources: [], agents: [], resources: [], sessions: [], count: 0 };

/**
 * Forgets what some rules have seen on the next days, so that what an earlier version saw counts nowhere. The rows stay, as of the run, so that it looks at what
 * became of each; their times are those of the day, turned around, until an event comes.
 * @returns the last row that was looked at; null at the end
 */
export async function forgetNext(
  { context }: JobRun,
  { rules, since, run }: { readonly rules: ReadonlySet<string>; readonly since: Date; readonly run: { readonly scan_run_id: string } },
  after: string,
): Promise<{ last: string } | null> {
  const { tenant_id } = context.auth;
  const prefix = tenantPrefix(tenant_id);
  const details = context.collection(cdrDetections);
  const own = { _id: { $gt: after === '' ? prefix : after, $lt: `${prefix}~` } };
  const rows = await details.find(own, { sort: { _id: 1 }, limit: BATCH, fields: ['rule_id', 'day'] });
  for (const row of rows) if (rules.has(row.rule_id) && Date.parse(row.day) >= since.getTime()) await forget(row);
  return rows.length === 0 ? null : { last: rows.at(-1)!._id };

  async function forget({ _id, day }: Pick<DetectionRow, '_id' | 'day'>): Promise<void> {
    const begin = new Date(day);
    const times = { first_at: new Date(begin.getTime() + DAY), last_at: begin };
    const links = eventsOfDetection(tenant_id, _id.slice(prefix.length));
    await context.transaction(async (transaction) => {
      await context.collection(cdrDetectionEvents).remove({ _id: { $gte: links, $lt: `${links}~` } }, { transaction });
      const update = { $set: { ...NOTHING, ...times, scan_run_id: run.scan_run_id } };
      await details.bulkUpdate([{ _id, update }], { transaction });
    });
  }
}
