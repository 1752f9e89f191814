import type { SupportIdentity } from '../kit/base/auth-context.js';
import { defineCollection } from '../kit/store/collection.js';

/** Longest access, in hours, and how long a request waits for the customer's answer. */
export const MAX_HOURS = 8;
const ANSWER_WITHIN = 72 * 3_600_000;

/** A request of the operator's staff to act in a tenant, and what became of it. It is the tenant's; its staff member reads it too. */
export interface SupportAccessRow {
  _id: string;
  tenant_id: string;
  staff_user_id: string;
  staff_email: string;
  reason: string;
  /** Asked for. */
  hours: number;
  requested_at: Date;
  /** Address of the person of the tenant who approved. */
  approved_by: string | null;
  approved_at: Date | null;
  /** End of the access; null until approved. */
  expires_at: Date | null;
  /** When the staff member first came in. */
  entered_at: Date | null;
  /** Who ended it before its time, or denied it. */
  ended_by: string | null;
  ended_at: Date | null;
}

const when = { type: Date, default: null };
const who = { type: String, default: null };

const rows = defineCollection<SupportAccessRow>(
  'support_accesses',
  {
    staff_user_id: { type: String, required: true },
    staff_email: String,
    reason: String,
    hours: Number,
    requested_at: Date,
    approved_by: who,
    approved_at: when,
    expires_at: when,
    entered_at: when,
    ended_by: who,
    ended_at: when,
  },
  [{ key: { tenant_id: 1, requested_at: -1 } }],
);

/** A staff member lists the own requests over all tenants: the one index here that spans them. */
export const supportAccesses: typeof rows = { ...rows, indexes: [...rows.indexes, { key: { staff_user_id: 1, requested_at: -1 } }] };

export type SupportState = 'requested' | 'approved' | 'active' | 'expired' | 'denied' | 'revoked';

/** Where a request stands at `now`. */
export function stateOf(access: SupportAccessRow, now: Date): SupportState {
  const { approved_at, expires_at, ended_at, ended_by } = access;
  if (ended_at !== null) return approved_at === null && ended_by !== access.staff_email ? 'denied' : 'revoked';
  const end = expires_at ?? new Date(access.requested_at.getTime() + ANSWER_WITHIN);
  if (end <= now) return 'expired';
  if (approved_at === null) return 'requested';
  return access.entered_at === null ? 'approved' : 'active';
}

/** Whether the staff member may act in the tenant at `now`. */
export const isOpen = (access: SupportAccessRow, now: Date): boolean => ['approved', 'active'].includes(stateOf(access, now));

/** Both identities of an access, for every audit entry that is written under it. */
export const identitiesOf = ({ _id, staff_email, approved_by }: SupportAccessRow): SupportIdentity => ({
  access_id: _id,
  staff: staff_email,
  approved_by: approved_by ?? '',
});
