import { SEVERITIES, type Severity } from '../../../schema/model.js';
import type { DigestFinding } from '../findings/digest-finding.js';

export const RULE_EVENTS = ['new', 'regressed', 'overdue'] as const;
export type RuleEvent = (typeof RULE_EVENTS)[number];

/** One message: what a rule gathered, the worst findings first. */
export interface Digest {
  /** Stays the same when the message is tried again. */
  id: string;
  rule: { id: string; name: string };
  event: RuleEvent;
  /** Number of all findings. */
  total: number;
  by_severity: Partial<Record<Severity, number>>;
  findings: readonly DigestFinding[];
}

/** Findings that a message lists; the rest is counted. */
export const LISTED = 20;

/** Text of a scanner or a person as one line without control characters, cut to `most` characters. */
export function oneLine(text: string, most: number): string {
  const line = text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** `12 new findings`: our own words alone. */
export const headline = ({ total, event }: Digest): string => `${total} ${event} ${total === 1 ? 'finding' : 'findings'}`;

/** `3 critical, 9 high`. */
export const severityLine = ({ by_severity }: Digest): string =>
  SEVERITIES.flatMap((severity) => (by_severity[severity] ? [`${by_severity[severity]} ${severity}`] : [])).join(', ');

/** `and 12 more`, or null when all are listed. */
export const restLine = ({ total, findings }: Digest): string | null =>
  total > findings.length ? `and ${total - findings.length} more` : null;

/** Where a finding is seen, as far as the deployment's address is known. */
export const findingUrl = (publicUrl: string | undefined, { engine, finding_id }: Pick<DigestFinding, 'engine' | 'finding_id'>): string =>
  `${publicUrl?.replace(/\/+$/, '') ?? ''}/api/v1/views/finding/${engine}/${finding_id}`;

/** The resource of a finding in one line. */
export const resourceLine = ({ resource_name, resource_uid, account_id, region }: DigestFinding): string =>
  [oneLine(resource_name ?? resource_uid, 120), account_id && oneLine(account_id, 60), oneLine(region, 40)].filter(Boolean).join(' · ');
