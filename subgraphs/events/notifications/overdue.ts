import { periodic } from '../../../kit/engine/background.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { endedTenants } from '../../../kit/work/tenant-ends.js';
import { FindingReader, workerAuth, type ReadFinding } from '../findings/reader.js';
import { gather } from './gather.js';
import { isOverdue, matches } from './match.js';
import { notificationRules, overdueMarks, type NotificationRuleRow } from './records.js';
import { overdueIds } from '../../../kit/findings/sla/overdue.js';

const HOUR = 3_600_000;

/** Looks every hour for findings that have become overdue. */
export const overdueTask = periodic('notification-rules.overdue', HOUR, tellOverdue);

/** Tells what is overdue in every tenant that has a rule for it; each finding once a rule, however often this runs. */
export async function tellOverdue(services: EngineServices, signal: AbortSignal): Promise<void> {
  const tenant_id = { $nin: await endedTenants(services.database) };
  const filter = { enabled: true, event: 'overdue', tenant_id };
  const rules = await services.database.system(notificationRules).find(filter, { sort: { tenant_id: 1 } });
  for (const tenantId of new Set(rules.map(({ tenant_id }) => tenant_id))) {
    const own = rules.filter(({ tenant_id }) => tenant_id === tenantId);
    for (const facts of services.findingEngines) {
      signal.throwIfAborted();
      const listening = own.filter(({ filter }) => filter.engine.length === 0 || filter.engine.includes(facts.viewSegment));
      if (listening.length > 0) await tellOfEngine(services, signal, tenantId, facts.engine, listening);
    }
  }
}

async function tellOfEngine(
  services: EngineServices,
  signal: AbortSignal,
  tenantId: string,
  engine: string,
  rules: readonly NotificationRuleRow[],
): Promise<void> {
  const reader = new FindingReader(services, workerAuth(tenantId, 'system'), signal);
  const now = services.clock.now();
  for await (const ids of overdueIds(services.database, tenantId, engine, now)) {
    signal.throwIfAborted();
    const overdue = (await reader.byIds(engine, ids)).filter((finding) => isOverdue(finding, now));
    for (const rule of rules)
      await tellOnce(
        services,
        rule,
        engine,
        overdue.filter((finding) => matches(rule.filter, finding)),
      );
  }
}

/** Gathers what the rule has not sent yet, with the mark that it has now, in one transaction. */
async function tellOnce(
  services: EngineServices,
  rule: NotificationRuleRow,
  engine: string,
  findings: readonly ReadFinding[],
): Promise<void> {
  if (findings.length === 0) return;
  const marks = services.database.tenant(rule.tenant_id).collection(overdueMarks);
  const markOf = ({ finding_id, regressed_at }: ReadFinding) =>
    `${rule.tenant_id}|${rule.id}|${engine}|${finding_id}|${regressed_at ?? ''}`;
  await services.database.transaction(async (transaction) => {
    const known = await marks.find({ _id: { $in: findings.map(markOf) } }, { transaction });
    const notified = new Set(known.map(({ _id }) => _id));
    const fresh = findings.filter((finding) => !notified.has(markOf(finding)));
    await marks.insertMany(
      fresh.map((finding) => ({ _id: markOf(finding), tenant_id: rule.tenant_id, rule_id: rule.id })),
      { transaction },
    );
    await gather(services, transaction, rule, fresh);
  });
}
