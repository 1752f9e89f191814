import { unauthenticated } from '../kit/base/errors.js';
import type { TenantRow } from '../accounts/records.js';
import type { SessionRow } from '../accounts/session-record.js';

/** Milliseconds: end by idleness where the tenant sets none, and the absolute end (decision 22). */
export const IDLE = 60 * 60_000;
export const ABSOLUTE = 12 * 3_600_000;

/** Reported only to a caller whose token we have signed; everybody else is asked to sign in first. */
export const sessionEnded = () => unauthenticated('Your session has ended: sign in again');

/** Milliseconds of idleness after which sessions in `tenant` end: its setting `session_idle_minutes`, else an hour. */
export function idleTime({ settings }: Pick<TenantRow, 'settings'>): number {
  const minutes = settings['session_idle_minutes'];
  return typeof minutes === 'number' ? Math.min(minutes * 60_000, ABSOLUTE) : IDLE;
}

/** Whether a session has ended by `now`; an idle time that was shortened holds at once, a longer one from the next use. */
export const hasEnded = ({ expires_at, last_seen_at }: SessionRow, tenant: Pick<TenantRow, 'settings'>, now: Date): boolean =>
  expires_at <= now || last_seen_at.getTime() + idleTime(tenant) <= now.getTime();
