import type { SupportIdentity } from '../kit/base/auth-context.js';
import { defineCollection, type RowOf } from '../kit/store/collection.js';
import { date, nullable, number, text } from '../kit/store/fields.js';

/** Longest access, in hours, and how long a request waits for the customer's answer. */
export const MAX_HOURS = 8;
const ANSWER_WITHIN = 72 * 3_600_000;

/** A request of the operator's staff to act in a tenant, and what became of it. It is the tenant's; its staff member reads it too. */
const rows = defineCollection(
  'support_accesses',
  {
    staff_user_id: text,
    staff_email: text,
    reason: text,
    /** Asked for. */
    hours: number,
    requested_at: date,
    /** Address of the person of the tenant who approved. */
    approved_by: nullable(text),
    approved_at: nullable(date),
    /** End of the access; null until approved. */
    expires_at: nullable(date),
    /** When the staff member first came in. */
    entered_at: nullable(date),
    /** Who ended it before its time, or denied it. */
    ended_by: nullable(text),
    ended_at: nullable(date),
  },
  [{ key: { tenant_id: 1, requested_at: -1 } }],
);
export type SupportAccessRow = RowOf<typeof rows>;

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
