import { SYSTEM_ACTOR } from '../base/auth-context.js';
import type { EngineServices } from './context.js';
import { getAuditLog } from './create-context.js';
import type { RetentionRun, RetentionRule, RowRule } from './retention-rule.js';

/** Rows removed in one transaction. */
const BATCH = 500;
const DAY = 86_400_000;

/** Days for which a rule keeps what it is about under a tenant's settings; null is for ever. */
export const daysOf = ({ setting, standard }: RetentionRule, settings: Readonly<Record<string, unknown>>): number | null =>
  (settings[setting] as number | null | undefined) ?? standard;

/** Removes what is older than a tenant keeps it, of one rule, in batches. A kill between two leaves the rest for the next turn. */
export async function applyRule(
  services: EngineServices,
  rule: RetentionRule,
  tenant: { tenant_id: string; settings: Readonly<Record<string, unknown>> },
  signal: AbortSignal,
): Promise<void> {
  const days = daysOf(rule, tenant.settings);
  if (days === null) return;
  const { database, clock } = services;
  const cutoff = new Date(clock.now().getTime() - days * DAY);
  const run: RetentionRun = {
    services,
    tenantId: tenant.tenant_id,
    cutoff,
    signal,
    async batch(what, work) {
      signal.throwIfAborted();
      await database.transaction(async (transaction) => {
        const count = await work(transaction);
        if (count === 0) return;
        const detail = { what, count, setting: rule.setting, days, before: cutoff.toISOString() };
        const entry = { action: 'retention.apply', actor_email: SYSTEM_ACTOR, target: `tenant:${tenant.tenant_id}`, detail } as const;
        await getAuditLog(services).append(transaction, tenant.tenant_id, clock.now(), [{ ...entry, result: 'success' }]);
      });
    },
  };
  await ('apply' in rule ? rule.apply(run) : removeRows(run, rule));
}

async function removeRows(
  run: RetentionRun,
  { what, collection, time, where, fields, inUse, alongside }: RowRule & RetentionRule,
): Promise<void> {
  const rows = run.services.database.tenant(run.tenantId).collection<{ _id: string }>(collection);
  const old = { ...where, [time]: { $lt: run.cutoff } };
  for await (const batch of inBatches(rows.scan(old, { sort: { [time]: 1 }, fields: ['_id', ...(fields ?? [])], batchSize: BATCH }))) {
    const used = inUse ? await inUse(run, batch) : null;
    const ids = batch.map(({ _id }) => _id).filter((id) => !used?.has(id));
    if (ids.length === 0) continue;
    await run.batch(what, async (transaction) => {
      const going = { ...old, _id: { $in: ids } };
      if (alongside) {
        // a row that was seen again meanwhile stays, and what belongs to it
        const gone = await rows.find(going, { fields: ['_id'], transaction });
        await alongside(
          run,
          gone.map(({ _id }) => _id),
          transaction,
        );
      }
      return rows.remove(going, { transaction });
    });
  }
}

/** The rows of a scan, as many at a time as one transaction removes. */
export async function* inBatches<T>(rows: AsyncIterable<T>): AsyncIterable<(T & Record<string, unknown>)[]> {
  let batch: (T & Record<string, unknown>)[] = [];
  for await (const row of rows) {
    if (batch.push(row as T & Record<string, unknown>) < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
