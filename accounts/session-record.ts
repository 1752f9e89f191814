import { defineSystemCollection } from '../kit/store/collection.js';

/** How somebody has signed in. */
export type SignInMethod = 'password' | 'invite' | 'saml' | 'oidc';

/** A signed-in browser or client. The cookie points here; ending a session is removing its row. */
export interface SessionRow {
  _id: string;
  user_id: string;
  /** The tenant that the session acts in. */
  tenant_id: string;
  /** The membership that it acts under; of another tenant of the organization where an org_admin has switched. */
  membership_id: string;
  method: SignInMethod;
  /** The tenant whose identity provider vouches for the user; null when the platform does. */
  sso_tenant_id: string | null;
  /** The support access that lets staff act in a customer's tenant; null in every other session. */
  support_access_id: string | null;
  /** Whether a second factor was checked; roles that need one have no session without it. */
  second_factor: boolean;
  ip_address: string;
  user_agent: string;
  created_at: Date;
  /** When the person last proved who they are; see `authenticatedAt`. */
  authenticated_at?: Date | null;
  last_seen_at: Date;
  /** End by idleness; moves with use, and never past `ends_at`. */
  expires_at: Date;
  /** The absolute end; new sessions made from this one inherit it. */
  ends_at: Date;
}

export const sessions = defineSystemCollection<SessionRow>(
  'sessions',
  {
    user_id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    membership_id: { type: String, required: true },
    method: String,
    sso_tenant_id: { type: String, default: null },
    support_access_id: { type: String, default: null },
    second_factor: Boolean,
    ip_address: String,
    user_agent: String,
    created_at: Date,
    authenticated_at: { type: Date, default: null },
    last_seen_at: Date,
    expires_at: Date,
    ends_at: Date,
  },
  [{ key: { user_id: 1 } }, { key: { expires_at: 1 }, options: { expireAfterSeconds: 0 } }],
);

/** When the person behind a session last proved who they are. Rows of earlier releases do not say: those have with the sign-in. */
export const authenticatedAt = ({ authenticated_at, created_at }: Pick<SessionRow, 'authenticated_at' | 'created_at'>): Date =>
  authenticated_at ?? created_at;
