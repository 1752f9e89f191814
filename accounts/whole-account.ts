import type { EngineContext } from '../kit/engine/context.js';
import type { Database } from '../kit/store/database.js';
import { unauthenticated } from '../kit/base/errors.js';
import { users } from './records.js';
import { sessions } from './session-record.js';
import { ssoSettings } from './providers/records.js';

/**
 * Whether an org_admin stands behind the identity provider of a tenant, so that its word is worth something in the whole organization. Any
 * other provider could name anybody, and is believed in its own tenant only.
 */
export async function isOrganizationsProvider(database: Database, tenantId: string): Promise<boolean> {
  const settings = await database
    .tenant(tenantId)
    .collection(ssoSettings)
    .findOne({}, { fields: ['set_by_org_admin'] });
  return settings?.set_by_org_admin === true;
}

/**
 * Whether the caller's session speaks for the whole account: one that the platform has let in does. One that an identity provider vouches for
 * does for an account that this provider's tenant has made, where an org_admin stands behind the provider, and never for a person's own.
 * @throws PalisadeError UNAUTHENTICATED when the session has ended
 */
export async function speaksForAccount({ auth, services: { database } }: EngineContext): Promise<boolean> {
  const session = await database.system(sessions).findOne({ _id: auth.session_id }, { fields: ['sso_tenant_id'] });
  if (!session) throw unauthenticated();
  if (session.sso_tenant_id === null) return true;
  const user = await database.system(users).findOne({ _id: auth.user_id }, { fields: ['organization_id', 'sso_tenant_id'] });
  if (user?.sso_tenant_id !== session.sso_tenant_id) return false;
  return user.organization_id === auth.organization_id && isOrganizationsProvider(database, session.sso_tenant_id);
}
