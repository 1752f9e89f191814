import type { AuthContext } from '../base/auth-context.js';
import { LEASE_REVOKED } from './due.js';
import type { JobRow } from './jobs.js';
import type { TenantCollection } from '../store/tenant-collection.js';

/** Where a job stands, as people are told it. */
export type JobState = 'QUEUED' | 'RUNNING' | 'CANCELLING' | 'COMPLETED' | 'FAILED' | 'CANCELLED';

const STATES: Readonly<Record<JobRow['state'], JobState>> = {
  queued: 'QUEUED',
  leased: 'RUNNING',
  done: 'COMPLETED',
  failed: 'FAILED',
  cancelled: 'CANCELLED',
};
const FAILED = 'It failed on our side and was given up.';

/** A followed job as the graph gives it (schema/job.graphql). */
export function jobView(row: JobRow) {
  const { _id: job_id, kind, auth, created_at, done = 0, total = null, result = null, result_url = null } = row;
  const { started_at = null, completed_at = null } = row;
  const state = row.state === 'leased' && row.cancel_at ? 'CANCELLING' : STATES[row.state];
  const error = row.state === 'failed' ? (row.reason ?? FAILED) : null;
  return { job_id, kind, state, done, total, result, result_url, error, created_by: auth.email, created_at, started_at, completed_at };
}

/** A followed job that the caller may see: their own, or one whose readers' permissions they hold; null when there is none. */
export async function findFollowed(
  rows: TenantCollection<JobRow>,
  { user_id, permissions }: AuthContext,
  id: string,
): Promise<JobRow | null> {
  const row = await rows.findOne({ _id: id, readers: { $exists: true } });
  if (!row) return null;
  const held: readonly string[] = permissions;
  return row.auth.user_id === user_id || row.readers!.every((permission) => held.includes(permission)) ? row : null;
}

/**
 * Asks a job to stop: one that waits is cancelled at once, one that a worker is on when that one notes its progress next.
 * @returns the job as it is then; null when it has ended already
 */
export async function askToStop(rows: TenantCollection<JobRow>, { _id }: JobRow, now: Date): Promise<JobRow | null> {
  const { $set, $inc } = LEASE_REVOKED;
  const ended = { $set: { ...$set, state: 'cancelled', due_at: null, cancel_at: now, completed_at: now }, $inc };
  const cancelled = await rows.findAndUpdate({ _id, state: 'queued' }, ended, { returnNew: true });
  return cancelled ?? rows.findAndUpdate({ _id, state: 'leased' }, { $set: { cancel_at: now } }, { returnNew: true });
}
