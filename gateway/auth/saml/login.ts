import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { forbidden } from '../../../subgraphs/_kit/errors.js';
import { ssoSettings, type SsoSettingsRow } from '../../../subgraphs/identity/sso/records.js';
import { rolesWith } from '../../../schema/permissions.js';
import { escapeHtml, sendPage } from '../../pages/page.js';
import { authenticateSession } from '../authenticate.js';
import { originOf, type AuthParts } from '../parts.js';
import { safeReturnTo } from '../return-to.js';
import { bindBrowser } from '../sso/binding.js';
import { findTenantSettings } from '../sso/find-tenant.js';
import type { Tester } from '../sso/verification.js';
import { openRequest } from './requests.js';
import { NAME_ID_FORMAT, serviceProvider } from './service-provider.js';

const text = z.string().trim().max(254).optional();

/** `account` is what somebody types into the page: an address or a tenant id. */
export const samlLoginQuery = z.object({
  tenant_id: text,
  email: text,
  account: text,
  return_to: z.string().max(2_000).optional(),
  test: z.literal('1').optional(),
});
export type SamlLoginQuery = z.infer<typeof samlLoginQuery>;
