import type { AuthContext } from '../kit/base/auth-context.js';
import { PROOF_MINUTES } from '../kit/base/person.js';
import { authenticatedAt } from '../accounts/session-record.js';
import type { LiveSession } from './sessions.js';

/** Where a person who has a password proves who they are. */
export const REAUTHENTICATE = '/api/auth/reauthenticate';

/** How the person behind a session proves who they are: as they have signed in. */
export function waysToProve({ session, user }: Pick<LiveSession, 'session' | 'user'>): NonNullable<AuthContext['reauthenticate']> {
  const { method, sso_tenant_id } = session;
  if (sso_tenant_id === null) return { method: 'password', second_factor: user.mfa !== 'none', url: REAUTHENTICATE };
  const query = new URLSearchParams({ tenant_id: sso_tenant_id, reauthenticate: '1' }).toString();
  return { method: 'sso', second_factor: false, url: `/auth/${method === 'oidc' ? 'oauth' : 'saml'}/login?${query}` };
}

/** When the last proof of a session stops counting for what only a person may do. */
export const proofEnds = (authenticated: Date): Date => new Date(authenticated.getTime() + PROOF_MINUTES * 60_000);

/** What the engines receive of a session whose proof is too old; nothing while it counts. */
export const proofOf = (live: LiveSession, now: Date): Pick<AuthContext, 'reauthenticate'> =>
  proofEnds(authenticatedAt(live.session)) > now ? {} : { reauthenticate: waysToProve(live) };
