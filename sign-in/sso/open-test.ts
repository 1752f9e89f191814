import type { FastifyRequest } from 'fastify';
import { missingPermission } from '../../kit/base/errors.js';
import { ssoSettings, type SsoSettingsRow } from '../../accounts/providers/records.js';
import { authenticateSession, permissionsIn } from '../authenticate.js';
import type { AuthParts } from '../parts.js';
import type { SignInQuery } from './query.js';
import type { Tester } from './verification.js';

/**
 * Who tries the settings out, and those of their own tenant, enabled or not; null where there are none, or another tenant's are asked for.
 * It is for those who may set them: what comes of a test is noted there.
 * @throws PalisadeError UNAUTHENTICATED and FORBIDDEN
 */
export async function openTest(
  parts: AuthParts,
  request: FastifyRequest,
  query: SignInQuery,
): Promise<{ settings: SsoSettingsRow | null; tester: Tester }> {
  const live = await authenticateSession(parts, request);
  if (!permissionsIn(live).includes('tenants:write')) throw missingPermission('tenants:write');
  const { user, tenant } = live;
  const isOwn = query.tenant_id === undefined || query.tenant_id === tenant.tenant_id;
  const settings = isOwn ? await parts.database.tenant(tenant.tenant_id).collection(ssoSettings).findOne({}) : null;
  return { settings, tester: { user_id: user._id, email: user.email } };
}
