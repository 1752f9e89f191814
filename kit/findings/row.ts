import { hash } from 'node:crypto';
import type { FindingStatus, Severity } from '../../schema/model.js';
import type { ControlReference, Observation, Reference, Remediation } from '../../schema/observations.js';
import { defineEngineCollection, type RowOf } from '../store/collection.js';
import { date, flag, list, nullable, number, object, optional, text, textOf } from '../store/fields.js';
import { RESOURCE_FIELDS } from '../engine/resource-fields.js';

/** A finding's ticket in a tracker. */
export interface FindingTicket {
  ticket_id: string;
  ticket_url: string;
  /** The integration that it was made or found through; null when a person named it. */
  integration_id: string | null;
  linked_by: string;
  linked_at: Date;
}

/** What a report tells of how bad a vulnerability is and how likely it is exploited. */
export interface ReportedFacts {
  readonly severity: Severity;
  readonly epss: number | null;
  readonly known_exploited: boolean | null;
}

/**
 * Who closed a finding: a run, which may have found that another rule's finding on the resource stands for it, or that the tenant's profile leaves its
 * rule out, or a person.
 */
export type ResolvedBy = { scan_run_id: string; implied_by?: string; profile?: string } | { actor_email: string };

const SCOPE = { tenant_id: 1, engine: 1 } as const;
/**
 * The tail of the indexes of lists. Status and severity have five values each: their ranges are merged, so that one index serves every
 * filter by them, the sort by severity and that by `last_seen_at`, and moments after which findings were last seen.
 */
const WORST_FIRST = { status: 1, severity_rank: -1, last_seen_at: -1, finding_id: 1 } as const;
/** What the rows of the index of techniques are found by. */
export const HAS_TECHNIQUES = { 'mitre_techniques.0': { $exists: true } } as const;
/** What the rows of the index of what happened are found by. */
export const HAPPENED = { happened_at: { $exists: true } } as const;
/**
 * What the rows of the indexes of moments are found by that most findings lack: null is no entry, so that an import writes none, and any range of dates
 * proves it.
 */
const since1970 = (column: 'resolved_at' | 'regressed_at') => ({ [column]: { $gt: new Date(0) } });
/** The columns of filters that may select few of many findings: each heads an index of its own. */
const SELECTIVE = ['provider', 'account_id', 'region', 'resource_type', 'rule_id', 'resource_uid', 'scan_run_id'] as const;

/** The findings of all engines (`_id` is `<tenant_id>|<engine>|<finding_id>`), with the indexes that lists, scopes and joins walk. */
const findingRows = defineEngineCollection(
  'findings',
  {
    finding_id: text,
    rule_id: text,
    /** Tells apart findings of one rule on one resource; empty where there is one only. See `unknownDiscriminator`. */
    discriminator: text,
    /** The engines that held the finding before this one: their addresses and audit entries still find it. */
    former_engines: list(text),
    /** Held by this engine until a run says which one it belongs to; see `FindingStore`. */
    owner_unconfirmed: optional(flag),
    title: text,
    description: nullable(text),
    severity: textOf<Severity>(),
    /** 5 critical ... 1 info: what severity sorts by. */
    severity_rank: number,
    status: textOf<FindingStatus>(),
    risk_score: number,
    ...RESOURCE_FIELDS,
    /** Facts of a vulnerability; null where there are none. */
    cve: nullable(text),
    cvss: nullable(number),
    epss: nullable(number),
    known_exploited: nullable(flag),
    /** Whether a version fixes it; on vulnerabilities alone, and null on all else. */
    fixable: optional(nullable(flag)),
    /** What the report tells of a vulnerability, where feeds know better. */
    reported: optional(nullable(object<ReportedFacts>())),
    /** Parts of the scope that a run closes by (decision 19). */
    source: text,
    service: nullable(text),
    artifact: nullable(text),
    /** Other sources that report it, too; see `otherSources`. */
    other_sources: optional(list(text)),
    /** Ids that reports make of other names for the same: those of its artifact's digests, and of its own name where it is older than that. */
    also_ids: optional(list(text)),
    /** The run that produced or last confirmed it. */
    scan_run_id: text,
    /** The run that opened it, and the one that it last came back in. */
    opened_by: nullable(text),
    regressed_by: nullable(text),
    /** What closed it; null while it is not RESOLVED, or where an earlier release closed it. */
    resolved_by: nullable(object<ResolvedBy>()),
    /** The last run that came by it and could not tell. */
    undecided_in: optional(text),
    /** When the newest run that had a say in it observed; an older run changes nothing (decision 47). */
    touched_at: date,
    first_seen_at: date,
    last_seen_at: date,
    regressed_at: nullable(date),
    resolved_at: nullable(date),
    /** Since when completed runs do not see it, while a person has it suppressed (decision 41). */
    absent_since: nullable(date),
    /** The suppressions that hold it; absent or null where none does: a SUPPRESSED one is a person's then. */
    suppressed_by: optional(nullable(list(text))),
    /** Digests of the statements by which it became a false positive: said again, they do nothing. */
    assessed: optional(list(text)),
    /** Who works on it, by e-mail address. */
    assignee: optional(nullable(text)),
    /** What triage rules have called it; absent where none has. */
    labels: optional(list(text)),
    /** By when it is to be fixed, and who has set that: a person, or `triage-rule:<id>`. */
    due_at: optional(nullable(date)),
    due_set_by: optional(nullable(text)),
    /** What lists by due date are ordered by; see `dueRank`. */
    due_rank: number,
    ticket: nullable(object<FindingTicket>()),
    /** Grows by one with every change that a person can see; what If-Match compares. */
    version: number,
    remediation: nullable(object<Remediation>()),
    references: list(object<Reference>()),
    controls: list(object<ControlReference>()),
    mitre_techniques: list(text),
    mitre_tactics: list(text),
    evidence: object<Record<string, unknown>>(),
    provider_metadata: object<Record<string, unknown>>(),
    /** Digest of what the latest report tells: a rescan that tells the same writes a few fields instead of all. */
    content_hash: text,
    /** When what it tells of was last done, as the report says; absent of what tells of a state, and where the report does not say. */
    happened_at: optional(date),
  },
  [
    { key: { ...SCOPE, ...WORST_FIRST } },
    { key: { ...SCOPE, status: 1, first_seen_at: -1, finding_id: 1 } },
    { key: { ...SCOPE, status: 1, risk_score: -1, finding_id: 1 } },
    { key: { ...SCOPE, status: 1, due_rank: -1, finding_id: 1 } },
    ...SELECTIVE.map((column) => ({ key: { ...SCOPE, [column]: 1, ...WORST_FIRST } as const })),
    { key: { ...SCOPE, rule_id: 1, resource_uid: 1, discriminator: 1 }, options: { unique: true } },
    // what a run opened, the worst first
    { key: { ...SCOPE, opened_by: 1, severity_rank: -1, finding_id: 1 } },
    // for searches, where the titles of a rule are too many to be kept by themselves
    { key: { ...SCOPE, rule_id: 1, status: 1, title: 1 } },
    {
      key: { ...SCOPE, 'resolved_by.scan_run_id': 1 },
      options: { partialFilterExpression: { 'resolved_by.scan_run_id': { $exists: true } } },
    },
    { key: { ...SCOPE, status: 1, severity_rank: -1, due_at: 1 }, options: { partialFilterExpression: { due_at: { $exists: true } } } },
    { key: { ...SCOPE, assignee: 1, ...WORST_FIRST }, options: { partialFilterExpression: { assignee: { $exists: true } } } },
    { key: { ...SCOPE, labels: 1, ...WORST_FIRST }, options: { partialFilterExpression: { labels: { $exists: true } } } },
    { key: { ...SCOPE, also_ids: 1 }, options: { partialFilterExpression: { also_ids: { $exists: true } } } },
    { key: { ...SCOPE, suppressed_by: 1 }, options: { partialFilterExpression: { suppressed_by: { $exists: true } } } },
    {
      key: { ...SCOPE, 'evidence.implied': 1, ...WORST_FIRST },
      options: { partialFilterExpression: { 'evidence.implied': { $exists: true } } },
    },
    { key: { ...SCOPE, source: 1, account_id: 1, artifact: 1, status: 1 } },
    { key: { ...SCOPE, status: 1 }, options: { partialFilterExpression: HAS_TECHNIQUES } },
    { key: { ...SCOPE, happened_at: 1 }, options: { partialFilterExpression: HAPPENED } },
    ...(['resolved_at', 'regressed_at'] as const).map((column) => ({
      key: { ...SCOPE, [column]: 1 } as const,
      options: { partialFilterExpression: since1970(column) },
    })),
  ],
);
export const findings: typeof findingRows = { ...findingRows, formerIndexes: ['tenant_id_1_engine_1_rule_id_1_title_1'] };
/** A stored finding. */
export type FindingRow = RowOf<typeof findings>;

/** The stable id of a finding (decision 5): the first 32 hex digits of SHA-256 over engine, rule, resource and discriminator. */
export function findingId(engine: string, observation: Pick<Observation, 'rule_id' | 'resource_uid' | 'discriminator'>): string {
  const identity = JSON.stringify([engine, observation.rule_id, observation.resource_uid, observation.discriminator ?? '']);
  return hash('sha256', identity).slice(0, 32);
}

/** Stands for the discriminator of a row of an earlier release, which did not store it, until a run tells it. */
export const unknownDiscriminator = (id: string): string => `unknown:${id}`;

export const findingRowId = (tenantId: string, engine: string, id: string): string => `${tenantId}|${engine}|${id}`;

/** How the audit log names a finding. */
export const findingTarget = (engine: string, id: string): string => `finding:${engine}/${id}`;

/** All names under which the audit log may tell of a finding: those of its former engines, too. */
export const findingTargets = ({ engine, finding_id, former_engines = [] }: Pick<FindingRow, 'engine' | 'finding_id' | 'former_engines'>) =>
  [engine, ...former_engines].map((owner) => findingTarget(owner, finding_id));
