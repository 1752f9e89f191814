import { createHash } from 'node:crypto';
import type { FindingStatus, Provider, Severity } from '../../schema/model.js';
import type { ControlReference, Observation, Reference, Remediation } from '../../schema/observations.js';
import { defineCollection, type CollectionDefinition } from '../store/collection.js';

/** A finding's ticket in a tracker. */
export interface FindingTicket {
  ticket_id: string;
  ticket_url: string;
  /** The integration that it was made or found through; null when a person named it. */
  integration_id: string | null;
  linked_by: string;
  linked_at: Date;
}

/** A stored finding. */
export interface FindingRow {
  /** `<tenant_id>|<finding_id>`: unique per tenant within the engine's collection. */
  _id: string;
  tenant_id: string;
  finding_id: string;
  rule_id: string;
  title: string;
  description: string | null;
  severity: Severity;
  /** 5 critical ... 1 info: what severity sorts by. */
  severity_rank: number;
  status: FindingStatus;
  /** SUPPRESSED: left out of lists and counts unless asked for (decision 8). */
  hidden: boolean;
  risk_score: number;
  provider: Provider;
  account_id: string | null;
  region: string;
  resource_type: string;
  resource_uid: string;
  resource_name: string | null;
  /** Parts of the scope that a run closes by (decision 19). */
  source: string;
  service: string | null;
  artifact: string | null;
  scan_run_id: string;
  first_seen_at: Date;
  last_seen_at: Date;
  regressed_at: Date | null;
  resolved_at: Date | null;
  ticket: FindingTicket | null;
  /** Grows by one with every change that a person can see; what If-Match compares. */
  version: number;
  remediation: Remediation | null;
  references: Reference[];
  controls: ControlReference[];
  mitre_techniques: string[];
  mitre_tactics: string[];
  evidence: Record<string, unknown>;
  provider_metadata: Record<string, unknown>;
  /** Digest of what the latest report said: a rescan that says the same writes two fields instead of all. */
  content_hash: string;
}

const text = { type: String, default: null };

/** The collection `findings_<engine>` with the indexes that its lists, scopes and joins walk. */
export function defineFindingCollection(engine: string): CollectionDefinition<FindingRow> {
  return defineCollection<FindingRow>(
    `findings_${engine.replaceAll('-', '_')}`,
    {
      finding_id: String,
      rule_id: String,
      title: String,
      description: text,
      severity: String,
      severity_rank: Number,
      status: String,
      hidden: Boolean,
      risk_score: Number,
      provider: String,
      account_id: text,
      region: String,
      resource_type: String,
      resource_uid: String,
      resource_name: text,
      source: String,
      service: text,
      artifact: text,
      scan_run_id: String,
      first_seen_at: Date,
      last_seen_at: Date,
      regressed_at: Date,
      resolved_at: Date,
      ticket: { type: Object, default: null },
      version: Number,
      remediation: Object,
      references: [Object],
      controls: [Object],
      mitre_techniques: [String],
      mitre_tactics: [String],
      evidence: Object,
      provider_metadata: Object,
      content_hash: String,
    },
    [
      { key: { tenant_id: 1, hidden: 1, severity_rank: -1, last_seen_at: -1, finding_id: 1 } },
      { key: { tenant_id: 1, hidden: 1, last_seen_at: -1, finding_id: 1 } },
      { key: { tenant_id: 1, hidden: 1, first_seen_at: -1, finding_id: 1 } },
      { key: { tenant_id: 1, hidden: 1, risk_score: -1, finding_id: 1 } },
      { key: { tenant_id: 1, resource_uid: 1 } },
      { key: { tenant_id: 1, rule_id: 1 } },
      { key: { tenant_id: 1, scan_run_id: 1 } },
      { key: { tenant_id: 1, source: 1, account_id: 1, artifact: 1, status: 1 } },
    ],
  );
}

/** The stable id of a finding (decision 5): the first 32 hex digits of SHA-256 over engine, rule, resource and discriminator. */
export function findingId(engine: string, observation: Pick<Observation, 'rule_id' | 'resource_uid' | 'discriminator'>): string {
  const identity = JSON.stringify([engine, observation.rule_id, observation.resource_uid, observation.discriminator ?? '']);
  return createHash('sha256').update(identity).digest('hex').slice(0, 32);
}

export const findingRowId = (tenantId: string, id: string): string => `${tenantId}|${id}`;
