import type { Move } from '../move-entries.js';
import type { SuppressibleFinding, SuppressionChange, SuppressionsInForce } from './in-force.js';

/** What the audit log tells of a finding that suppressions move; null where its status stays. */
export function suppressionMove(
  suppressing: SuppressionsInForce,
  { status: from, suppressed_by }: Pick<SuppressibleFinding, 'status' | 'suppressed_by'>,
  { status: to, suppressed_by: by }: SuppressionChange,
): Move | null {
  if (to === undefined) return null;
  if (to !== 'SUPPRESSED') return { action: 'finding.unsuppress', from, to, detail: { suppressed_by } };
  return { action: 'finding.suppress', from, to, detail: { note: suppressing.reasonOf(by!), suppressed_by: by } };
}
