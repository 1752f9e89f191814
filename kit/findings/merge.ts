import { hash } from 'node:crypto';
import type { FindingFacts } from '../engine/finding-facts.js';
import type { Observation } from '../../schema/observations.js';
import { findingRowId, unknownDiscriminator, type FindingRow } from './row.js';
import { statusAfterSeen } from './lifecycle.js';
import { fixesOf } from './cves/fixes.js';
import { riskScore, severityRank, vulnerabilitySeverity } from './risk-score.js';
import { UNDATED } from './sla/due-rank.js';
import type { IngestRun } from '../engine/finding-sink.js';

/** When a run observed what it reports: runs are ordered by it (decision 47). */
export const observedAt = (run: Pick<IngestRun, 'at' | 'observed_at'>): Date => run.observed_at ?? run.at;

/** The part of a finding that comes from the latest report. */
export type FindingContent = Omit<
  FindingRow,
  | '_id'
  | 'tenant_id'
  | 'engine'
  | 'finding_id'
  | 'former_engines'
  | 'owner_unconfirmed'
  | 'status'
  | 'scan_run_id'
  | 'opened_by'
  | 'regressed_by'
  | 'resolved_by'
  | 'undecided_in'
  | 'other_sources'
  | 'also_ids'
  | 'touched_at'
  | 'first_seen_at'
  | 'last_seen_at'
  | 'regressed_at'
  | 'resolved_at'
  | 'absent_since'
  | 'suppressed_by'
  | 'assessed'
  | 'assignee'
  | 'labels'
  | 'due_at'
  | 'due_set_by'
  | 'due_rank'
  | 'ticket'
  | 'version'
>;

const CVE = /^CVE-\d{4}-\d{4,}$/i;

/** The content of an observation, whatever the finding was before, and about how many bytes it takes. */
export function contentOf(facts: FindingFacts, run: IngestRun, observation: Observation): { content: FindingContent; size: number } {
  const severity = facts.vulnerabilities ? vulnerabilitySeverity(observation) : observation.severity;
  const happened_at = facts.happenedAt?.(observation.evidence);
  const content = {
    rule_id: observation.rule_id,
    discriminator: observation.discriminator ?? '',
    title: observation.title,
    description: observation.description ?? null,
    severity,
    severity_rank: severityRank(severity),
    risk_score: riskScore({ ...observation, severity }),
    provider: observation.provider,
    account_id: observation.account_id ?? null,
    region: observation.region,
    resource_type: observation.resource_type,
    resource_uid: observation.resource_uid,
    resource_name: observation.resource_name ?? null,
    cve: CVE.test(observation.rule_id) ? observation.rule_id.toUpperCase() : null,
    cvss: observation.cvss ?? null,
    epss: observation.epss ?? null,
    known_exploited: observation.known_exploited ?? null,
    source: observation.source ?? run.format,
    service: observation.service ?? null,
    artifact: observation.artifact ?? null,
    remediation: observation.remediation ?? null,
    references: observation.references ?? [],
    controls: observation.controls ?? [],
    mitre_techniques: observation.mitre_techniques ?? [],
    mitre_tactics: observation.mitre_tactics ?? [],
    evidence: observation.evidence,
    provider_metadata: observation.provider_metadata ?? {},
    ...(happened_at && { happened_at }),
  };
  const { content: plain, size } = hashed(content);
  return { content: facts.vulnerabilities ? { ...plain, ...vulnerabilityOf(observation) } : plain, size };
}

/** What is kept of a vulnerability beside what every finding has; it follows from the rest, so no digest tells of it. */
export const vulnerabilityOf = ({ severity, epss, known_exploited, evidence }: VulnerabilityReport) => ({
  fixable: fixesOf(evidence).length > 0,
  reported: { severity, epss: epss ?? null, known_exploited: known_exploited ?? null },
});
type VulnerabilityReport = Pick<Observation, 'severity' | 'evidence'> & { epss?: number | null; known_exploited?: boolean | null };

function hashed(content: Omit<FindingContent, 'content_hash'>): { content: FindingContent; size: number } {
  const text = JSON.stringify(content);
  return { content: { ...content, content_hash: hash('sha1', text, 'base64') }, size: text.length };
}

/** What a run leaves on every finding that it sees. */
export const confirmedBy = (run: IngestRun) => ({
  scan_run_id: run.scan_run_id,
  last_seen_at: observedAt(run),
  touched_at: observedAt(run),
});

/** A finding that is seen for the first time. */
export function newFinding(
  tenantId: string,
  engine: string,
  { id, artifactIds }: { readonly id: string; readonly artifactIds: readonly string[] },
  run: IngestRun,
  content: FindingContent,
): FindingRow {
  return {
    _id: findingRowId(tenantId, engine, id),
    tenant_id: tenantId,
    engine,
    finding_id: id,
    former_engines: [],
    ...content,
    ...confirmedBy(run),
    ...(artifactIds.length > 0 && { also_ids: [...artifactIds] }),
    status: 'OPEN',
    opened_by: run.scan_run_id,
    regressed_by: null,
    resolved_by: null,
    first_seen_at: observedAt(run),
    regressed_at: null,
    resolved_at: null,
    absent_since: null,
    due_rank: UNDATED,
    ticket: null,
    version: 1,
  };
}

/** A provider that a report does not name was inferred when the finding was first seen, and stays what it was then (decision 48). */
function keepingProvider({ provider }: Pick<StoredFacts, 'provider'>, content: FindingContent): FindingContent {
  if (content.provider === provider || content.provider_metadata['provider_inferred'] !== true) return content;
  const { content_hash: _, fixable, reported, ...rest } = content;
  return { ...hashed({ ...rest, provider }).content, ...(reported && { fixable, reported }) };
}

/**
 * A finding keeps what its id is made of: its rule, discriminator and resource, also where a report has other names for them. A row of the first
 * release, which has no discriminator, learns it.
 */
function keepingIdentity(known: StoredFacts, content: FindingContent): FindingContent {
  const { finding_id, rule_id, resource_uid, discriminator } = known;
  const isKnown = discriminator !== unknownDiscriminator(finding_id);
  if (rule_id === content.rule_id && resource_uid === content.resource_uid && (!isKnown || discriminator === content.discriminator))
    return content;
  const { resource_type, resource_name } = resource_uid === content.resource_uid ? content : known;
  return { ...content, rule_id, resource_uid, resource_type, resource_name, ...(isKnown && { discriminator }) };
}

/**
 * What changes in a stored finding that a run sees again, beside its confirmation; null when nothing does. SUPPRESSED and
 * FALSE_POSITIVE stay.
 */
export function mergeContent(run: IngestRun, known: StoredFacts, latest: FindingContent) {
  const content = keepingIdentity(known, keepingProvider(known, latest));
  const status = statusAfterSeen(known.status);
  const regressed = status !== known.status;
  if (!regressed && !known.absent_since && content.content_hash === known.content_hash && content.discriminator === known.discriminator)
    return null;
  return {
    ...content,
    status,
    absent_since: null,
    version: known.version + 1,
    ...(regressed && { regressed_at: observedAt(run), regressed_by: run.scan_run_id, resolved_at: null, resolved_by: null }),
  };
}

/** What a merge reads of a stored finding. */
export const MERGE_FIELDS = [
  'finding_id',
  'rule_id',
  'resource_uid',
  'source',
  'other_sources',
  'also_ids',
  'discriminator',
  'owner_unconfirmed',
  'status',
  'severity',
  'risk_score',
  'provider',
  'account_id',
  'region',
  'resource_type',
  'resource_name',
  'scan_run_id',
  'first_seen_at',
  'last_seen_at',
  'touched_at',
  'absent_since',
  'suppressed_by',
  'regressed_at',
  'resolved_by',
  'due_at',
  'due_set_by',
  'assignee',
  'labels',
  'cve',
  'epss',
  'known_exploited',
  'fixable',
  'version',
  'content_hash',
] as const;
export type StoredFacts = Pick<FindingRow, '_id' | (typeof MERGE_FIELDS)[number]>;
