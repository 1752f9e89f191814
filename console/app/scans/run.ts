import type { Provider, RunState } from '../../../schema/model.js';

/** `GET /scan-runs/{scan_run_id}`. */
export interface ScanRun {
  readonly scan_run_id: string;
  readonly state: RunState;
  readonly trigger: string;
  readonly format: string | null;
  readonly provider: Provider | null;
  readonly account_id: string | null;
  readonly engines: readonly {
    readonly engine: string;
    readonly state: RunState;
    readonly attempts: number;
    readonly heartbeat_at: string | null;
    readonly error: string | null;
  }[];
  readonly counts: Readonly<Record<'records' | 'skipped' | 'new' | 'updated' | 'resolved' | 'regressed', number>>;
  readonly errors: readonly { readonly position: string; readonly reason: string }[];
  readonly observed_at: string | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly total_findings: number | null;
  readonly queued_behind: string | null;
}

const FINAL: readonly RunState[] = ['COMPLETED', 'PARTIAL', 'FAILED', 'CANCELLED'];
const AGAIN: readonly RunState[] = ['PARTIAL', 'FAILED', 'CANCELLED'];

export const isFinal = (state: RunState): boolean => FINAL.includes(state);
export const mayRetry = (state: RunState): boolean => AGAIN.includes(state);
export const mayCancel = (state: RunState): boolean => state === 'QUEUED' || state === 'RUNNING';

/** A run's path in the API. */
export const runPath = (id: string): string => `/api/v1/scan-runs/${encodeURIComponent(id)}`;
