import { createHash } from 'node:crypto';
import { findingUrl, headline, oneLine, restLine, severityLine, type Digest } from '../channels/digest.js';
import { OURS, type NewIssue } from '../channels/tracker.js';
import type { ReadRecord } from '../findings/reader.js';

/** Characters of a summary, and of what a description quotes. */
const SUMMARY = 240;
const QUOTED = 4_000;

/** The marker by which the ticket of a thing is found again: the same for the same thing, another for every tenant. */
export function issueMarker(tenantId: string, thing: string): string {
  return `${OURS}-${createHash('sha256')
    .update(JSON.stringify([tenantId, thing]))
    .digest('hex')
    .slice(0, 32)}`;
}

/** The ticket of one finding. */
export function findingIssue(marker: string, { finding, description }: ReadRecord, publicUrl: string | undefined): NewIssue {
  const facts: [string, string | null][] = [
    ['Severity', `${finding.severity}, risk score ${finding.risk_score}`],
    ['Resource', finding.resource_uid],
    ['Name', finding.resource_name],
    ['Type', finding.resource_type],
    ['Provider', finding.provider],
    ['Account', finding.account_id],
    ['Region', finding.region],
    ['Rule', finding.rule_id],
    ['First seen', finding.first_seen_at],
    ['Finding', findingUrl(publicUrl, finding)],
  ];
  const lines = facts.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${oneLine(value, 500)}`]));
  return {
    summary: oneLine(`[${finding.severity}] ${finding.title}`, SUMMARY),
    description: [oneLine(finding.title, 500), ...(description === null ? [] : ['', description.slice(0, QUOTED)]), '', ...lines].join(
      '\n',
    ),
    marker,
    severity: finding.severity,
  };
}

/** The ticket that stands for what a digest does not list. */
export function restIssue(marker: string, digest: Digest): NewIssue {
  return {
    summary: `Palisade: ${headline(digest)}, ${restLine(digest)} without a ticket of their own`,
    description: `${headline(digest)}: ${severityLine(digest)}\nNotification rule: ${oneLine(digest.rule.name, 200)}`,
    marker,
    severity: null,
  };
}
