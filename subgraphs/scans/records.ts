import type { RunState } from '../../schema/model.js';
import { defineCollection } from '../../kit/store/collection.js';

export const FINAL_STATES: readonly RunState[] = ['COMPLETED', 'PARTIAL', 'FAILED', 'CANCELLED'];

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
  account_id: string | null;
  scope: RunScope;
  engines: RunEngine[];
  counts: RunRecordCounts;
  /** The first hundred. */
  errors: RunError[];
  total_findings: number | null;
  /** The staged report; gone when the run is final. Never shown. */
  upload_id: string;
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
    account_id: String,
    scope: Object,
    engines: [Object],
    counts: Object,
    errors: [Object],
    total_findings: Number,
    upload_id: String,
    created_at: Date,
    started_at: Date,
    completed_at: Date,
  },
  [{ key: { tenant_id: 1, created_at: -1, scan_run_id: 1 } }],
);

export const scanRunRowId = (tenantId: string, scanRunId: string): string => `${tenantId}|${scanRunId}`;
