import { z } from 'zod';
import { SEVERITIES, type Severity } from '../../../schema/model.js';
import { invalid, violationsOf } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { CLOSABLE } from '../../../kit/findings/lifecycle.js';
import { severityRank } from '../../../kit/findings/risk-score.js';
import { findings } from '../../../kit/findings/row.js';
import { DEFAULT_WINDOWS, slaPolicies, type Windows } from '../../../kit/findings/sla/records.js';
import { recomputeDueDates } from '../../../kit/findings/sla/recompute.js';
import { NEVER_LEASED } from '../../../kit/work/due.js';
import { readable } from '../suppressions/matched.js';

const DAY = 86_400_000;
const SOON = 7;

const days = z.number().int().min(1).max(3_650).nullable().optional();
const windowsSchema = z.strictObject({ critical: days, high: days, medium: days, low: days, info: days });

/** The tenant's policy, and what is overdue in the engines that the caller may read. */
export async function slaPolicy(context: EngineContext) {
  const { auth, services } = context;
  const row = await context.collection(slaPolicies).findOne({ _id: auth.tenant_id });
  const now = services.clock.now();
  const [overdue, soon] = await Promise.all([
    countDue(context, { $lt: now }),
    countDue(context, { $gte: now, $lt: new Date(now.getTime() + SOON * DAY) }),
  ]);
  const byEngine = overdue.map(({ engine, counts }) => ({ engine, overdue: Object.values(counts).reduce((sum, count) => sum + count, 0) }));
  return {
    windows: row?.windows ?? DEFAULT_WINDOWS,
    updated_by: row?.updated_by ?? null,
    updated_at: row?.updated_at ?? null,
    applying: row ? row.due_at !== null : false,
    breaches: sum(overdue),
    breaches_by_engine: byEngine.filter((one) => one.overdue > 0).sort((one, other) => other.overdue - one.overdue),
    due_soon: sum(soon),
    restrictedEngines: readable(context).restrictedEngines,
  };
}

/**
 * Changes the windows and sets due dates anew; what takes longer than half of the call's time is left to a worker.
 * @throws PalisadeError VALIDATION_ERROR
 */
export async function setSlaPolicy(context: EngineContext, input: { windows: unknown }) {
  const { auth, services, signal } = context;
  const parsed = windowsSchema.safeParse(input.windows);
  if (!parsed.success) throw invalid(violationsOf(parsed.error).map(({ path, message }) => ({ path: `windows.${path}`, message })));
  const rows = context.collection(slaPolicies);
  const later = new Date(services.storeClock.now().getTime() + services.config.ENGINE_TIMEOUT_MS);
  const revision = await context.transaction(async (transaction) => {
    const before = await rows.findOne({ _id: auth.tenant_id }, { transaction });
    const windows: Windows = { ...(before?.windows ?? DEFAULT_WINDOWS), ...parsed.data };
    const set = { windows, revision: (before?.revision ?? 0) + 1, updated_by: auth.email, updated_at: services.clock.now(), due_at: later };
    if (before) await rows.update({ _id: auth.tenant_id }, { $set: set }, { transaction });
    else await rows.insert({ _id: auth.tenant_id, tenant_id: auth.tenant_id, ...NEVER_LEASED, ...set }, { transaction });
    await context.audit(transaction, {
      action: 'sla.update',
      actor_email: auth.email,
      target: `tenant:${auth.tenant_id}`,
      result: 'success',
      detail: { windows },
    });
    return set.revision;
  });
  const until = performance.now() + services.config.ENGINE_TIMEOUT_MS / 2;
  const isDone = await recomputeDueDates(services, auth.tenant_id, signal, () => performance.now() > until);
  await rows.update({ _id: auth.tenant_id, revision }, { $set: { due_at: isDone ? null : services.storeClock.now() } });
  return slaPolicy(context);
}

/** Findings of each engine that are open or worked on, and due then, by severity. */
function countDue(context: EngineContext, due_at: Readonly<Record<string, Date>>) {
  const { auth, services } = context;
  const tenant = services.database.tenant(auth.tenant_id);
  return Promise.all(
    readable(context).engines.map(async ({ engine, viewSegment }) => {
      const rows = tenant.engine(engine).collection(findings);
      const of = (severity: Severity) => rows.count({ status: { $in: CLOSABLE }, severity_rank: severityRank(severity), due_at });
      const counts = await Promise.all(SEVERITIES.map(async (severity) => [severity, await of(severity)] as const));
      return { engine: viewSegment, counts: Object.fromEntries(counts) as Record<Severity, number> };
    }),
  );
}

const sum = (engines: readonly { counts: Record<Severity, number> }[]): Record<Severity, number> =>
  Object.fromEntries(
    SEVERITIES.map((severity) => [severity, engines.reduce((total, { counts }) => total + counts[severity], 0)]),
  ) as Record<Severity, number>;
