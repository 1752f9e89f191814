import { MANUAL_MOVES, type FindingStatus } from '../../schema/model.js';
import { invalid } from '../base/errors.js';

/** The statuses that a run may close (decision 18). */
export const CLOSABLE: readonly FindingStatus[] = ['OPEN', 'IN_PROGRESS'];

/** The statuses by which people set a finding aside though its source reports it. */
export const SET_ASIDE: readonly FindingStatus[] = ['SUPPRESSED', 'FALSE_POSITIVE'];

/** The status that a finding has after a run has seen it (decision 18). */
export const statusAfterSeen = (status: FindingStatus): FindingStatus => (status === 'RESOLVED' ? 'OPEN' : status);

/** The findings that a completed run has a say in by not seeing them: it closes open ones, and notes suppressed ones as absent (decision 41). */
export const ENDABLE = { status: { $in: [...CLOSABLE, 'SUPPRESSED'] }, absent_since: null } as const;

/** Whether a finding's sources still report it, whatever people think of it. */
export const isStanding = ({ status, absent_since }: { status: FindingStatus; absent_since?: Date | null }): boolean =>
  status !== 'RESOLVED' && !absent_since;

/** The status that a manual move leads to: lifting the suppression of what is gone resolves it (decision 41). */
export const statusAfterMove = (before: { status: FindingStatus; absent_since?: Date | null }, to: FindingStatus): FindingStatus =>
  before.status === 'SUPPRESSED' && to === 'OPEN' && before.absent_since ? 'RESOLVED' : to;

/**
 * Whether the controls of a finding's rule fail by it (decision 41): while it is open, worked on, or accepted as a risk and still there. For the
 * detail of a finding and for scores.
 */
export const controlStatus = ({ status, absent_since }: { status: FindingStatus; absent_since?: Date | string | null }): 'PASS' | 'FAIL' =>
  CLOSABLE.includes(status) || (status === 'SUPPRESSED' && !absent_since) ? 'FAIL' : 'PASS';

/** @throws PalisadeError VALIDATION_ERROR that names from, to and the allowed moves */
export function assertMove(from: FindingStatus, to: FindingStatus): void {
  const allowed = MANUAL_MOVES[from];
  if (allowed.includes(to)) return;
  throw invalid(
    [{ path: 'status', message: `a finding cannot move from ${from} to ${to}; allowed: ${allowed.join(', ')}` }],
    `A finding cannot move from ${from} to ${to}`,
  );
}
