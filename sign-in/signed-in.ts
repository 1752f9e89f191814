import type { UserRow } from '../accounts/records.js';
import type { SignInMethod } from '../accounts/session-record.js';
import type { Home } from './homes.js';

/** Somebody whose first factor was right. */
export interface SignedIn {
  readonly user: UserRow;
  /** Where they may act, best first; at least one. Sign-in through a tenant's identity provider names that tenant alone. */
  readonly homes: readonly Home[];
  readonly method: SignInMethod;
  /** Whether a second factor was shown, here or at the identity provider. */
  readonly second_factor: boolean;
  /** The tenant whose identity provider vouches for them; null when the platform does. */
  readonly sso_tenant_id: string | null;
  /** When they proved who they are, where that was before: at the identity provider, or in the session that vouches; now when absent. */
  readonly authenticated_at?: Date;
}
