import type { AuditEntry } from '../../../kit/audit/entries.js';
import type { RuleEvent } from '../channels/digest.js';
import type { ReadFinding } from '../findings/reader.js';
import type { EventConsumer } from '../outbox/consumer.js';
import { findingsBehind } from '../findings/of-events.js';
import { gather } from './gather.js';
import { matches, PENDING } from './match.js';
import { notificationRules } from './records.js';

/** What a rule's event is in the audit log. `overdue` is none: time alone makes a finding overdue. */
const EVENT_OF: Readonly<Partial<Record<AuditEntry['action'], RuleEvent>>> = { 'finding.open': 'new', 'finding.regress': 'regressed' };

/** Matches new and regressed findings with the tenant's rules. */
export const ruleConsumer: EventConsumer = {
  name: 'notification-rules',
  listens: async ({ database }, tenantId) =>
    (await database
      .tenant(tenantId)
      .collection(notificationRules)
      .findOne({ enabled: true }, { fields: ['event'] })) !== null,
  async prepare(services, tenantId, entries) {
    const relevant = entries.filter(({ action }) => EVENT_OF[action] !== undefined);
    if (relevant.length === 0) return null;
    const events = [...new Set(relevant.map(({ action }) => EVENT_OF[action]!))];
    const rules = await services.database
      .tenant(tenantId)
      .collection(notificationRules)
      .find({ enabled: true, event: { $in: events } });
    if (rules.length === 0) return null;
    const findings = await findingsBehind(services, tenantId, relevant);
    const found = rules.map((rule) => ({
      rule,
      findings: [
        ...new Set(relevant.filter(({ action }) => EVENT_OF[action] === rule.event).map(({ target }) => findings.get(target ?? ''))),
      ].filter((finding) => finding !== undefined && PENDING.includes(finding.status) && matches(rule.filter, finding)) as ReadFinding[],
    }));
    if (found.every((one) => one.findings.length === 0)) return null;
    return async (transaction) => {
      for (const one of found) await gather(services, transaction, one.rule, one.findings);
    };
  },
};
