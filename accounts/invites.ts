import { defineCollection } from '../kit/store/collection.js';
import type { Role } from '../schema/permissions.js';

/** Milliseconds that a link lives (specification, "Limits"). */
export const INVITE_LIFE = 72 * 3_600_000;

/** An invitation to a tenant; `_id` is `<tenant_id>|<invite_id>`. Its link is signed, and stored nowhere. */
export interface InviteRow {
  _id: string;
  tenant_id: string;
  invite_id: string;
  /** Lower case. */
  email: string;
  role: Role;
  /** `expired` is never stored: it is a pending one whose time is over. */
  state: 'pending' | 'accepted' | 'revoked';
  /** Number of the link that works now; each reissue counts on. */
  generation: number;
  /** Id of the user whose word the invitation is: who made it, or who reissued it last. */
  invited_by: string;
  invited_by_email: string;
  created_at: Date;
  expires_at: Date;
  accepted_at: Date | null;
}

export type InviteState = InviteRow['state'] | 'expired';

export const invites = defineCollection<InviteRow>(
  'invites',
  {
    invite_id: String,
    email: String,
    role: String,
    state: String,
    generation: Number,
    invited_by: String,
    invited_by_email: String,
    created_at: Date,
    expires_at: Date,
    accepted_at: Date,
  },
  [{ key: { tenant_id: 1, created_at: -1 } }, { key: { tenant_id: 1, email: 1 } }],
);

export const inviteRowId = (tenantId: string, inviteId: string): string => `${tenantId}|${inviteId}`;

export const stateOf = ({ state, expires_at }: Pick<InviteRow, 'state' | 'expires_at'>, now: Date): InviteState =>
  state === 'pending' && expires_at <= now ? 'expired' : state;

/** What a link names beside its tenant and its invitation. */
export const versionOf = ({ generation }: Pick<InviteRow, 'generation'>): string => String(generation);
