import { createHash } from 'node:crypto';
import type { FindingStatus, Provider, Severity } from '../../schema/model.js';
import type { ControlReference, Observation, Reference, Remediation } from '../../schema/observations.js';
import { defineEngineCollection } from '../store/collection.js';

/** A finding's ticket in a tracker. */
export interface FindingTicket {
  ticket_id: string;
  ticket_url: string;
  /** The integration that it was made or found through; null when a person named it. */
  integration_id: string | null;
  linked_by: string;
  linked_at: Date;
}

/** Who closed a finding: a run or a person. */
export type ResolvedBy = { scan_run_id: string } | { actor_email: string };

/** A stored finding. */
export interface FindingRow {
  /** `<tenant_id>|<engine>|<finding_id>`: unique per tenant and engine. */
  _id: string;
  tenant_id: string;
  engine: string;
  finding_id: string;
  rule_id: string;
  /** Tells apart findings of one rule on one resource; empty where there is one only. See `unknownDiscriminator`. */
  discriminator: string;
  /** The engines that held the finding before this one: their addresses and audit entries still find it. */
  former_engines: string[];
  /** Held by this engine until a run says which one it belongs to; see `FindingStore`. */
  owner_unconfirmed?: true;
  title: string;
  description: string | null;
  severity: Severity;
  /** 5 critical ... 1 info: what severity sorts by. */
  severity_rank: number;
  status: FindingStatus;
  risk_score: number;
  provider: Provider;
  account_id: string | null;
  region: string;
  resource_type: string;
  resource_uid: string;
  resource_name: string | null;
  /** Facts of a vulnerability; null where there are none. */
  cve: string | null;
  cvss: number | null;
  epss: number | null;
  known_exploited: boolean | null;
  /** Parts of the scope that a run closes by (decision 19). */
  source: string;
  service: string | null;
  artifact: string | null;
  /** The run that produced or last confirmed it. */
  scan_run_id: string;
  /** The run that opened it, and the one that it last came back in. */
  opened_by: string | null;
  regressed_by: string | null;
  /** What closed it; null while it is not RESOLVED, or where an earlier release closed it. */
  resolved_by: ResolvedBy | null;
  /** The last run that came by it and could not tell. */
  undecided_in?: string;
  /** When the newest run that had a say in it observed; an older run changes nothing (decision 47). */
  touched_at: Date;
  first_seen_at: Date;
  last_seen_at: Date;
  regressed_at: Date | null;
  resolved_at: Date | null;
  /** Since when completed runs do not see it, while a person has it suppressed (decision 41). */
  absent_since: Date | null;
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
  /** Digest of what the latest report tells: a rescan that tells the same writes a few fields instead of all. */
  content_hash: string;
}

const text = { type: String, default: null };

const SCOPE = { tenant_id: 1, engine: 1 } as const;
/**
 * The tail of the indexes of lists. Status and severity have five values each: their ranges are merged, so that one index serves every
 * filter by them, the sort by severity and that by `last_seen_at`, and moments after which findings were last seen.
 */
const WORST_FIRST = { status: 1, severity_rank: -1, last_seen_at: -1, finding_id: 1 } as const;
/** The columns of filters that may select few of many findings: each heads an index of its own. */
const SELECTIVE = ['provider', 'account_id', 'region', 'resource_type', 'rule_id', 'resource_uid', 'scan_run_id'] as const;

/** The findings of all engines, with the indexes that lists, scopes and joins walk. */
export const findings = defineEngineCollection<FindingRow>(
  'findings',
  {
    finding_id: String,
    rule_id: String,
    discriminator: String,
    former_engines: [String],
    owner_unconfirmed: Boolean,
    title: String,
    description: text,
    severity: String,
    severity_rank: Number,
    status: String,
    risk_score: Number,
    provider: String,
    account_id: text,
    region: String,
    resource_type: String,
    resource_uid: String,
    resource_name: text,
    cve: text,
    cvss: Number,
    epss: Number,
    known_exploited: Boolean,
    source: String,
    service: text,
    artifact: text,
    scan_run_id: String,
    opened_by: text,
    regressed_by: text,
    resolved_by: { type: Object, default: null },
    undecided_in: String,
    touched_at: Date,
    first_seen_at: Date,
    last_seen_at: Date,
    regressed_at: Date,
    resolved_at: Date,
    absent_since: Date,
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
    { key: { ...SCOPE, ...WORST_FIRST } },
    { key: { ...SCOPE, status: 1, first_seen_at: -1, finding_id: 1 } },
    { key: { ...SCOPE, status: 1, risk_score: -1, finding_id: 1 } },
    ...SELECTIVE.map((column) => ({ key: { ...SCOPE, [column]: 1, ...WORST_FIRST } as const })),
    { key: { ...SCOPE, rule_id: 1, resource_uid: 1, discriminator: 1 }, options: { unique: true } },
    {
      key: { ...SCOPE, 'resolved_by.scan_run_id': 1 },
      options: { partialFilterExpression: { 'resolved_by.scan_run_id': { $exists: true } } },
    },
    { key: { ...SCOPE, source: 1, account_id: 1, artifact: 1, status: 1 } },
  ],
);

/** The stable id of a finding (decision 5): the first 32 hex digits of SHA-256 over engine, rule, resource and discriminator. */
export function findingId(engine: string, observation: Pick<Observation, 'rule_id' | 'resource_uid' | 'discriminator'>): string {
  const identity = JSON.stringify([engine, observation.rule_id, observation.resource_uid, observation.discriminator ?? '']);
  return createHash('sha256').update(identity).digest('hex').slice(0, 32);
}

/** Stands for the discriminator of a row of an earlier release, which did not store it, until a run tells it. */
export const unknownDiscriminator = (id: string): string => `unknown:${id}`;

export const findingRowId = (tenantId: string, engine: string, id: string): string => `${tenantId}|${engine}|${id}`;

/** How the audit log names a finding. */
export const findingTarget = (engine: string, id: string): string => `finding:${engine}/${id}`;

/** All names under which the audit log may tell of a finding: those of its former engines, too. */
export const findingTargets = ({ engine, finding_id, former_engines = [] }: Pick<FindingRow, 'engine' | 'finding_id' | 'former_engines'>) =>
  [engine, ...former_engines].map((owner) => findingTarget(owner, finding_id));
