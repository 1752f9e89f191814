import type { Provider, RunState } from '../../schema/model.js';
import { defineCollection } from '../../kit/store/collection.js';

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

export interface RunRecordCounts {
  records: number;
  skipped: number;
  new: number;
  updated: number;
  resolved: number;
  regressed: number;
}

/** A scan run (decision 32); `_id` is `<tenant_id>|<scan_run_id>`, so the same id never makes a second run. */
export interface ScanRunRow {
  _id: string;
  tenant_id: string;
  scan_run_id: string;
  state: RunState;
  trigger: 'import' | 'manual' | 'schedule' | 'agent';
  format: string;
  provider: string | null;
  /** Provider of what the report finds in no cloud; null on a run that was made before it was kept. */
  default_provider: Provider | null;
  account_id: string | null;
  scope: RunScope;
  engines: RunEngine[];
  counts: RunRecordCounts;
  /** The first hundred. */
  errors: RunError[];
  total_findings: number | null;
  /** The staged report; null once its retention has ended. Never shown. */
  upload_id: string | null;
  /** Digests of the report's content and of the parameters; null on a run that was made before they were kept. */
  report_sha256: string | null;
  request_sha256: string | null;
  /** When the facts of the report were observed; null until a worker has looked, unless the caller says it. */
  observed_at: Date | null;
  created_at: Date;
  started_at: Date | null;
  completed_at: Date | null;
}

export const scanRuns = defineCollection<ScanRunRow>(
  'scan_runs',
  {
    scan_run_id: String,
    state: String,
    trigger: String,
    format: String,
    provider: String,
    default_provider: String,
    account_id: String,
    scope: Object,
    engines: [Object],
    counts: Object,
    errors: [Object],
    total_findings: Number,
    upload_id: String,
    report_sha256: String,
    request_sha256: String,
    observed_at: Date,
    created_at: Date,
    started_at: Date,
    completed_at: Date,
  },
  [
    { key: { tenant_id: 1, created_at: -1, scan_run_id: 1 } },
    { key: { tenant_id: 1, completed_at: 1 } },
    { key: { tenant_id: 1, upload_id: 1 } },
  ],
);

export const scanRunRowId = (tenantId: string, scanRunId: string): string => `${tenantId}|${scanRunId}`;
