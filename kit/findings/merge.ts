import { createHash } from 'node:crypto';
import type { FindingFacts } from '../engine/finding-facts.js';
import type { Observation } from '../../schema/observations.js';
import { findingRowId, type FindingRow } from './row.js';
import type { StoredFacts } from './store.js';
import { statusAfterSeen } from './lifecycle.js';
import { riskScore, severityRank, vulnerabilitySeverity } from './risk-score.js';

/** The run that says something. */
export interface IngestRun {
  scan_run_id: string;
  /** What `first_seen_at` and `last_seen_at` become. */
  at: Date;
  /** Name of the report's format; the `source` of observations that name none. */
  format: string;
}

export type Said = Omit<
  FindingRow,
  | '_id'
  | 'tenant_id'
  | 'finding_id'
  | 'status'
  | 'hidden'
  | 'scan_run_id'
  | 'first_seen_at'
  | 'last_seen_at'
  | 'regressed_at'
  | 'resolved_at'
  | 'ticket'
  | 'version'
>;

/** What the latest report says, whatever the finding was before. */
export function said(facts: FindingFacts, run: IngestRun, observation: Observation): Said {
  const severity = facts.computedSeverity ? vulnerabilitySeverity(observation) : observation.severity;
  const content = {
    rule_id: observation.rule_id,
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
  };
  return { ...content, content_hash: createHash('sha1').update(JSON.stringify(content)).digest('base64') };
}

/** What a run leaves on every finding that it sees. */
export const sighting = (run: IngestRun) => ({ scan_run_id: run.scan_run_id, last_seen_at: run.at });

/** A finding that is seen for the first time. */
export function newFinding(tenantId: string, id: string, run: IngestRun, content: Said): FindingRow {
  return {
    _id: findingRowId(tenantId, id),
    tenant_id: tenantId,
    finding_id: id,
    ...content,
    ...sighting(run),
    status: 'OPEN',
    hidden: false,
    first_seen_at: run.at,
    regressed_at: null,
    resolved_at: null,
    ticket: null,
    version: 1,
  };
}

/**
 * What changes in a stored finding that a run sees again, beside the sighting; null when nothing does. SUPPRESSED and
 * FALSE_POSITIVE stay.
 */
export function mergeContent(run: IngestRun, known: StoredFacts, content: Said) {
  const status = statusAfterSeen(known.status);
  const regressed = status !== known.status;
  if (!regressed && content.content_hash === known.content_hash) return null;
  return {
    ...content,
    status,
    ...(regressed && { regressed_at: run.at, resolved_at: null, version: known.version + 1 }),
  };
}
