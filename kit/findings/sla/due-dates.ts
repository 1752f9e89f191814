import type { TenantDatabase } from '../../store/database.js';
import type { TransactionOf } from '../../store/query.js';
import type { FindingRow } from '../row.js';
import { DEFAULT_WINDOWS, slaPolicies, type Windows } from './records.js';

const DAY = 86_400_000;

/** What a due date follows from. */
export type DatedFinding = Pick<FindingRow, 'severity' | 'first_seen_at'> &
  Partial<Pick<FindingRow, 'regressed_at' | 'due_at' | 'due_set_by'>>;

/** When findings of a tenant are due by its policy. */
export class DueDates {
  constructor(readonly windows: Windows = DEFAULT_WINDOWS) {}

  static async read(tenant: TenantDatabase, transaction?: TransactionOf): Promise<DueDates> {
    const policy = await tenant.collection(slaPolicies).findOne({ _id: tenant.tenantId }, { fields: ['windows'], transaction });
    return new DueDates(policy?.windows);
  }

  /** When a finding is due: its window after it was first seen, or after it last came back; null where its severity has no window. */
  of({ severity, first_seen_at, regressed_at }: DatedFinding): Date | null {
    const days = this.windows[severity];
    return days === null ? null : new Date((regressed_at ?? first_seen_at).getTime() + days * DAY);
  }

  /** What changes in a finding; nothing where its date is right, or a person's. */
  change(finding: DatedFinding): Partial<Pick<FindingRow, 'due_at'>> {
    if (finding.due_set_by) return {};
    const due_at = this.of(finding);
    return due_at?.getTime() === (finding.due_at ?? null)?.getTime() ? {} : { due_at };
  }
}
