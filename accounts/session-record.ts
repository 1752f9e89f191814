import { defineSystemCollection, type RowOf } from '../kit/store/collection.js';
import { date, flag, nullable, optional, text, textOf } from '../kit/store/fields.js';

/** How somebody has signed in. */
export type SignInMethod = 'password' | 'invite' | 'saml' | 'oidc';

/** A signed-in browser or client. The cookie points here; ending a session is removing its row. */
export const sessions = defineSystemCollection(
  'sessions',
  {
    user_id: text,
    /** The tenant that the session acts in. */
    tenant_id: text,
    /** The membership that it acts under; of another tenant of the organization where an org_admin has switched. */
    membership_id: text,
    method: textOf<SignInMethod>(),
    /** The tenant whose identity provider vouches for the user; null when the platform does. */
    sso_tenant_id: nullable(text),
    /** The support access that lets staff act in a customer's tenant; null in every other session. */
    support_access_id: nullable(text),
    /** Whether a second factor was checked; roles that need one have no session without it. */
    second_factor: flag,
    ip_address: text,
    user_agent: text,
    created_at: date,
    /** When the person last proved who they are; see `authenticatedAt`. */
    authenticated_at: optional(nullable(date)),
    last_seen_at: date,
    /** End by idleness; moves with use, and never past `ends_at`. */
    expires_at: date,
    /** The absolute end; new sessions made from this one inherit it. */
    ends_at: date,
  },
  [{ key: { user_id: 1 } }, { key: { expires_at: 1 }, options: { expireAfterSeconds: 0 } }],
);
export type SessionRow = RowOf<typeof sessions>;

/** When the person behind a session last proved who they are. Rows of earlier releases do not say: those have with the sign-in. */
export const authenticatedAt = ({ authenticated_at, created_at }: Pick<SessionRow, 'authenticated_at' | 'created_at'>): Date =>
  authenticated_at ?? created_at;
