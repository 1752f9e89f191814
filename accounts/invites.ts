import { defineCollection, type RowOf } from '../kit/store/collection.js';
import { date, nullable, number, oneOf, text, textOf } from '../kit/store/fields.js';
import type { Role } from '../schema/permissions.js';

/** Milliseconds that a link lives (specification, "Limits"). */
export const INVITE_LIFE = 72 * 3_600_000;

export type InviteState = InviteRow['state'] | 'expired';

/** An invitation to a tenant; `_id` is `<tenant_id>|<invite_id>`. Its link is signed, and stored nowhere. */
export const invites = defineCollection(
  'invites',
  {
    invite_id: text,
    /** Lower case. */
    email: text,
    role: textOf<Role>(),
    /** `expired` is never stored: it is a pending one whose time is over. */
    state: oneOf('pending', 'accepted', 'revoked'),
    /** Number of the link that works now; each reissue counts on. */
    generation: number,
    /** Id of the user whose word the invitation is: who made it, or who reissued it last. */
    invited_by: text,
    invited_by_email: text,
    created_at: date,
    expires_at: date,
    accepted_at: nullable(date),
  },
  [{ key: { tenant_id: 1, created_at: -1 } }, { key: { tenant_id: 1, email: 1 } }],
);
export type InviteRow = RowOf<typeof invites>;

export const inviteRowId = (tenantId: string, inviteId: string): string => `${tenantId}|${inviteId}`;

export const stateOf = ({ state, expires_at }: Pick<InviteRow, 'state' | 'expires_at'>, now: Date): InviteState =>
  state === 'pending' && expires_at <= now ? 'expired' : state;

/** What a link names beside its tenant and its invitation. */
export const versionOf = ({ generation }: Pick<InviteRow, 'generation'>): string => String(generation);
