import type { Provider, RunState } from '../../schema/model.js';
import type { AuthContext } from '../../kit/base/auth-context.js';
import { defineCollection, type RowOf } from '../../kit/store/collection.js';
import { date, list, nullable, number, object, oneOf, optional, text, textOf } from '../../kit/store/fields.js';
import type { ScanCoverage } from './definitions/records.js';

/** The kind of job that works a run off. */
export const IMPORT_REPORT = 'scans.import_report';

export const FINAL_STATES: readonly RunState[] = ['COMPLETED', 'PARTIAL', 'FAILED', 'CANCELLED'];

/** A run that may end, or be stopped, any moment. */
export const NOT_FINAL = { state: { $nin: FINAL_STATES } } as const;

/** What a caller may say of a report, and what then narrows the run's scope (decisions 19, 33). */
export interface RunScope {
  account_id?: string;
  region?: string;
  artifact?: string;
}

export interface RunError {
  position: string;
  reason: string;
}

export interface RunEngine {
  engine: string;
  state: RunState;
  attempts: number;
  heartbeat_at: Date | null;
  error: string | null;
}

/** The stages of a run, in order; a run of a report collects nothing. */
export const STAGES = ['collect', 'inventory', 'evaluate', 'ingest', 'derive'] as const;
export type StageName = (typeof STAGES)[number];

/** How far a stage is. Stages of one run overlap: findings are taken in while the next resources are evaluated. */
export interface RunStage {
  stage: StageName;
  state: RunState;
  started_at: Date | null;
  completed_at: Date | null;
  error: string | null;
}

export interface RunRecordCounts {
  records: number;
  skipped: number;
  new: number;
  updated: number;
  resolved: number;
  regressed: number;
}

/** A scan run (decision 32); `_id` is `<tenant_id>|<scan_run_id>`, so the same id never makes a second run. */
export const scanRuns = defineCollection(
  'scan_runs',
  {
    scan_run_id: text,
    state: textOf<RunState>(),
    trigger: oneOf('import', 'manual', 'schedule', 'agent'),
    format: text,
    provider: nullable(text),
    /** Provider of what the report finds in no cloud; null on a run that was made before it was kept. */
    default_provider: nullable(textOf<Provider>()),
    account_id: nullable(text),
    scope: object<RunScope>(),
    engines: list(object<RunEngine>()),
    /** Absent on a run that was made before they were kept. */
    stages: optional(list(object<RunStage>())),
    /** How often a worker began it. */
    attempts: optional(number),
    /** What went wrong in the last try that failed, as people are told it. */
    last_error: optional(nullable(text)),
    /** Events that were written of it: the position of the last one. */
    events: optional(number),
    /** Digest of what makes runs comparable: format and scope. Absent on a run that was made before it was kept. */
    scope_digest: optional(text),
    /** Of a run that asks a connected account: its scan, what that covers, with whose rights it asks, and the run that it waits for. */
    scan_id: optional(text),
    coverage: optional(object<ScanCoverage>()),
    owner: optional(object<AuthContext>()),
    queued_behind: optional(nullable(text)),
    /** The whole that it has asked for, where it was not narrowed: what it does not show of it is gone. */
    estate: optional(nullable(text)),
    counts: object<RunRecordCounts>(),
    /** The first hundred. */
    errors: list(object<RunError>()),
    total_findings: nullable(number),
    /** The staged report; null once its retention has ended. Never shown. */
    upload_id: nullable(text),
    /** Digests of the report's content and of the parameters; null on a run that was made before they were kept. */
    report_sha256: nullable(text),
    request_sha256: nullable(text),
    /** When the facts of the report were observed; null until a worker has looked, unless the caller says it. */
    observed_at: nullable(date),
    created_at: date,
    started_at: nullable(date),
    completed_at: nullable(date),
  },
  [
    { key: { tenant_id: 1, created_at: -1, scan_run_id: 1 } },
    { key: { tenant_id: 1, completed_at: 1 } },
    { key: { tenant_id: 1, upload_id: 1 } },
    { key: { tenant_id: 1, scan_id: 1, created_at: 1 }, options: { partialFilterExpression: { scan_id: { $exists: true } } } },
    { key: { tenant_id: 1, scope_digest: 1, created_at: -1 } },
    { key: { tenant_id: 1, state: 1, created_at: -1, scan_run_id: 1 } },
  ],
);
export type ScanRunRow = RowOf<typeof scanRuns>;

export const scanRunRowId = (tenantId: string, scanRunId: string): string => `${tenantId}|${scanRunId}`;

/** Records of a report that were taken in, and that could not be. */
export interface RunProgress {
  records: number;
  skipped: number;
}
