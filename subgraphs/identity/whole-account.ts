import type { EngineContext } from '../_kit/context.js';
import { unauthenticated } from '../_kit/errors.js';
import { users } from './records.js';
import { sessions } from './session-record.js';
import { ssoSettings } from './sso/records.js';

/**
 * Whether the caller's session speaks for the person everywhere: one that the platform has let in does, one that a tenant's identity
 * provider vouches for where an org_admin of the person's own organization stands behind the provider. Any other provider could name
 * anybody, and its word is worth something in its own tenant only.
 * @throws PalisadeError UNAUTHENTICATED when the session has ended
 */
export async function speaksForAccount({ auth, services: { database } }: EngineContext): Promise<boolean> {
  const session = await database.system(sessions).findOne({ _id: auth.session_id }, { fields: ['sso_tenant_id'] });
  if (!session) throw unauthenticated();
  if (session.sso_tenant_id === null) return true;
  const user = await database.system(users).findOne({ _id: auth.user_id }, { fields: ['organization_id'] });
  if (user?.organization_id !== auth.organization_id) return false;
  const settings = await database
    .tenant(session.sso_tenant_id)
    .collection(ssoSettings)
    .findOne({}, { fields: ['set_by_org_admin'] });
  return settings?.set_by_org_admin === true;
}
