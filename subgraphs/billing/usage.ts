import { auditLog } from '../../kit/audit/audit.js';
import { badRequest } from '../../kit/base/errors.js';
import { holds } from '../../kit/base/auth-context.js';
import { allowancesOf } from '../../kit/base/quotas.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { countStored } from '../../kit/findings/counters.js';
import { readInventoryUsage } from '../../kit/read/inventory.js';
import { callCounts } from '../../kit/store/call-counts.js';
import { readUsage, STORED_EVENTS, UPLOADS, usageOfDay } from '../../kit/store/tenant-usage.js';
import { usageMonths } from './records.js';

const MOST_MONTHS = 24;
const MIB = 1_048_576;

const monthOf = (date: Date): string => date.toISOString().slice(0, 7);
/** The first moment of the month that is `back` months before that of `now`. */
const startOf = (now: Date, back: number): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1));

/** Notes the most that a tenant has had in this month: at the end of each run, and once a day. */
export async function noteUsage(context: EngineContext): Promise<void> {
  const { assets, accounts } = await readInventoryUsage(context);
  const month = monthOf(context.services.clock.now());
  const update = { $max: { assets, accounts }, $setOnInsert: { month } };
  await context.collection(usageMonths).bulkUpdate([{ _id: `${context.auth.tenant_id}|${month}`, update, upsert: true }]);
}

/** What a tenant used month by month, and what its plan leaves. @throws PalisadeError BAD_REQUEST */
export async function billingUsage(context: EngineContext, { months }: { months: number }) {
  if (months < 1 || months > MOST_MONTHS) throw badRequest(`months must be from 1 to ${MOST_MONTHS}`);
  const now = context.services.clock.now();
  const [present, kept, calls] = await Promise.all([
    readInventoryUsage(context),
    context.collection(usageMonths).find({ month: { $gte: monthOf(startOf(now, months - 1)) } }),
    context.collection(callCounts).find({
      day: {
        $gte: startOf(now, months - 1)
          .toISOString()
          .slice(0, 10),
      },
    }),
  ]);
  const told = Array.from({ length: months }, async (_, back) => {
    const month = monthOf(startOf(now, back));
    const most = kept.find((row) => row.month === month);
    // what was stored since the last run is the tenant's own as well
    const peak = (what: 'assets' | 'accounts') => (back === 0 ? Math.max(most?.[what] ?? 0, present[what]) : (most?.[what] ?? null));
    const api_calls = calls.reduce((sum, row) => (row.day.startsWith(month) ? sum + row.calls : sum), 0);
    return {
      month,
      accounts: peak('accounts'),
      assets: peak('assets'),
      scans: await scansIn(context, startOf(now, back), startOf(now, back - 1)),
      api_calls,
    };
  });
  return { plan: context.auth.plan, months: await Promise.all(told), allowances: await allowances(context, present.assets, now) };
}

/** Scan runs that were begun between two moments, by the audit log, where they stay when runs are removed: counted between two numbers of it. */
async function scansIn(context: EngineContext, from: Date, to: Date): Promise<number> {
  const log = context.collection(auditLog);
  const firstFrom = (moment: Date) => log.findOne({ timestamp: { $gte: moment } }, { sort: { timestamp: 1 }, fields: ['seq'] });
  const [first, behind] = await Promise.all([firstFrom(from), firstFrom(to)]);
  if (!first) return 0;
  return log.count({ action: 'scan.trigger', seq: { $gte: first.seq, ...(behind && { $lt: behind.seq }) } });
}

/** What the plan allows, what of it is used, and what is left. Findings are told to who may read those of every engine. */
async function allowances(context: EngineContext, assets: number, now: Date) {
  const { auth, services } = context;
  const tenant = services.database.tenant(auth.tenant_id);
  const allowed = allowancesOf(services.config, auth.plan);
  const readsAll = services.findingEngines.every(({ permission }) => holds(auth, permission));
  const engines = services.findingEngines.map(({ engine }) => engine);
  const [findings, events, uploaded] = await Promise.all([
    readsAll ? countStored(tenant, engines) : null,
    readUsage(tenant, STORED_EVENTS),
    readUsage(tenant, usageOfDay(UPLOADS, now).what),
  ]);
  const used = { findings, assets, events: events ?? 0, upload_mib_per_day: Math.ceil(((uploaded ?? 0) / MIB) * 100) / 100 };
  return (Object.keys(used) as (keyof typeof used)[]).map((name) => {
    const count = used[name];
    return { name, allowed: allowed[name], used: count, left: count === null ? null : Math.max(0, allowed[name] - count) };
  });
}
