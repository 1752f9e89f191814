import type { FindingStatus } from '../../schema/model.js';
import { invalid } from '../base/errors.js';

/** The manual moves of a finding (decision 17): from -> to. The tests read this table. */
export const MANUAL_MOVES: Readonly<Record<FindingStatus, readonly FindingStatus[]>> = {
  OPEN: ['IN_PROGRESS', 'RESOLVED', 'SUPPRESSED', 'FALSE_POSITIVE'],
  IN_PROGRESS: ['OPEN', 'RESOLVED', 'SUPPRESSED', 'FALSE_POSITIVE'],
  RESOLVED: ['OPEN'],
  SUPPRESSED: ['OPEN', 'FALSE_POSITIVE'],
  FALSE_POSITIVE: ['OPEN', 'SUPPRESSED'],
};

/** The statuses that a run may close (decision 18). */
export const CLOSABLE: readonly FindingStatus[] = ['OPEN', 'IN_PROGRESS'];

/** The status that a finding has after a run has seen it (decision 18). */
export const statusAfterSeen = (status: FindingStatus): FindingStatus => (status === 'RESOLVED' ? 'OPEN' : status);

/** @throws PalisadeError VALIDATION_ERROR that names from, to and the allowed moves */
export function assertMove(from: FindingStatus, to: FindingStatus): void {
  const allowed = MANUAL_MOVES[from];
  if (allowed.includes(to)) return;
  throw invalid(
    [{ path: 'status', message: `a finding cannot move from ${from} to ${to}; allowed: ${allowed.join(', ')}` }],
    `A finding cannot move from ${from} to ${to}`,
  );
}
