import type { TransactionOf } from '../../../kit/store/query.js';
import { randomUUID } from 'node:crypto';
import type { EngineServices } from '../../../kit/engine/context.js';
import { severityRank } from '../../../kit/findings/risk-score.js';
import { NEVER_LEASED } from '../../../kit/work/due.js';
import { LISTED } from '../channels/digest.js';
import type { DigestFinding } from '../findings/digest-finding.js';
import type { ReadFinding } from '../findings/reader.js';
import { worstFirst } from './match.js';
import { notifications, type NotificationRow, type NotificationRuleRow } from './records.js';

const MINUTE = 60_000;

/**
 * Adds findings to the message that a rule gathers, or begins one. All that comes within NOTIFY_AFTER_SECONDS is one message, and a throttled
 * rule gathers for as long as its throttle says.
 */
export async function gather(
  services: EngineServices,
  transaction: TransactionOf,
  rule: NotificationRuleRow,
  found: readonly ReadFinding[],
): Promise<void> {
  if (found.length === 0) return;
  const rows = services.database.tenant(rule.tenant_id).collection(notifications);
  const [last] = await rows.find({ rule_id: rule.id }, { sort: { created_at: -1 }, limit: 1, transaction });
  if (last?.state === 'gathering' && last.event === rule.event) {
    const { matched } = await rows.update({ _id: last._id, state: 'gathering' }, { $set: grown(last, found) }, { transaction });
    if (matched === 1) return;
  }
  const { clock, storeClock } = services;
  const after = storeClock.now().getTime() + services.config.NOTIFY_AFTER_SECONDS * 1000;
  const due_at = new Date(Math.max(after, last ? last.first_due_at.getTime() + rule.throttle_minutes * MINUTE : 0));
  await rows.insert(
    {
      _id: randomUUID(),
      tenant_id: rule.tenant_id,
      rule_id: rule.id,
      event: rule.event,
      state: 'gathering',
      due_at,
      first_due_at: due_at,
      ...NEVER_LEASED,
      ...grown({ total: 0, by_severity: {}, findings: [] }, found),
      attempts: 0,
      error: null,
      created_at: clock.now(),
      finished_at: null,
    },
    { transaction },
  );
}

/** The numbers and the worst findings of a message after more have come. */
function grown(before: Pick<NotificationRow, 'total' | 'by_severity' | 'findings'>, found: readonly ReadFinding[]) {
  const by_severity = { ...before.by_severity };
  for (const { severity } of found) by_severity[severity] = (by_severity[severity] ?? 0) + 1;
  const worst = [...found].sort(worstFirst).slice(0, LISTED).map(digestFinding);
  const findings = [...before.findings, ...worst].sort((one, other) => severityRank(other.severity) - severityRank(one.severity));
  return { total: before.total + found.length, by_severity, findings: findings.slice(0, LISTED) };
}

/** What a message shows of a finding. */
const digestFinding = (finding: ReadFinding): DigestFinding => ({
  engine: finding.engine,
  finding_id: finding.finding_id,
  title: finding.title,
  severity: finding.severity,
  status: finding.status,
  provider: finding.provider,
  account_id: finding.account_id,
  region: finding.region,
  resource_type: finding.resource_type,
  resource_uid: finding.resource_uid,
  resource_name: finding.resource_name,
  rule_id: finding.rule_id,
  first_seen_at: finding.first_seen_at,
});
