import type { AuditRow } from '../../_kit/audit.js';
import type { EngineServices } from '../../_kit/context.js';
import type { RuleEvent } from '../channels/digest.js';
import { FindingReader, workerAuth, type ReadFinding } from '../finding-reader.js';
import { findingOfTarget } from '../finding-target.js';
import type { EventConsumer } from '../outbox/consumer.js';
import { gather } from './gather.js';
import { matches, PENDING } from './match.js';
import { notificationRules } from './records.js';

/** What a rule's event is in the audit log. `overdue` is none: time alone makes a finding overdue. */
const EVENT_OF: Readonly<Partial<Record<AuditRow['action'], RuleEvent>>> = { 'finding.open': 'new', 'finding.regress': 'regressed' };

/** Matches new and regressed findings with the tenant's rules. */
export const ruleConsumer: EventConsumer = {
  name: 'notification-rules',
  listens: async ({ database }, tenantId) =>
    (await database
      .tenant(tenantId)
      .collection(notificationRules)
      .findOne({ enabled: true }, { fields: ['event'] })) !== null,
  async prepare(services, tenantId, entries) {
    const told = entries.flatMap((entry) => {
      const event = EVENT_OF[entry.action];
      const finding = findingOfTarget(entry.target);
      return event && finding ? [{ event, ...finding }] : [];
    });
    if (told.length === 0) return null;
    const events = [...new Set(told.map(({ event }) => event))];
    const rules = await services.database
      .tenant(tenantId)
      .collection(notificationRules)
      .find({ enabled: true, event: { $in: events } });
    if (rules.length === 0) return null;
    const findings = await readAll(services, tenantId, told);
    const found = rules.map((rule) => ({
      rule,
      findings: [
        ...new Set(
          told.filter(({ event }) => event === rule.event).map(({ engine, finding_id }) => findings.get(`${engine}/${finding_id}`)),
        ),
      ].filter((finding) => finding !== undefined && PENDING.includes(finding.status) && matches(rule.filter, finding)) as ReadFinding[],
    }));
    if (found.every((one) => one.findings.length === 0)) return null;
    return async (transaction) => {
      for (const one of found) await gather(services, transaction, one.rule, one.findings);
    };
  },
};

/** The findings that entries tell of, by `<engine>/<id>`; those that are gone are left out. */
async function readAll(
  services: EngineServices,
  tenantId: string,
  told: readonly { engine: string; finding_id: string }[],
): Promise<Map<string, ReadFinding>> {
  const reader = new FindingReader(services, workerAuth(tenantId, 'system'));
  const all = new Map<string, ReadFinding>();
  const listed = services.findingEngines.map(({ engine }) => engine);
  for (const engine of new Set(told.map((one) => one.engine).filter((one) => listed.includes(one)))) {
    const ids = [...new Set(told.filter((one) => one.engine === engine).map(({ finding_id }) => finding_id))];
    for (const finding of await reader.byIds(engine, ids)) all.set(`${engine}/${finding.finding_id}`, finding);
  }
  return all;
}
