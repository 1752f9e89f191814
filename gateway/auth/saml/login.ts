import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { permissionsOf } from '../../../schema/permissions.js';
import { missingPermission } from '../../../subgraphs/_kit/errors.js';
import { ssoSettings, type SamlSettings } from '../../../subgraphs/identity/sso/records.js';
import { escapeHtml, sendPage } from '../../pages/page.js';
import { authenticateSession } from '../authenticate.js';
import { originOf, type AuthParts } from '../parts.js';
import { safeReturnTo } from '../return-to.js';
import { bindBrowser } from '../sso/binding.js';
import { findTenantSettings } from '../sso/find-tenant.js';
import type { Tester } from '../sso/verification.js';
import type { SamlRequestRow } from './records.js';
import { openRequest } from './requests.js';
import { NAME_ID_FORMAT, serviceProvider } from './service-provider.js';

const text = z.string().trim().max(254).optional();

/** `account` is what somebody types into the page: an e-mail address or a tenant id. */
export const samlLoginQuery = z.object({
  tenant_id: text,
  email: text,
  account: text,
  return_to: z.string().optional(),
  test: z.literal('1').optional(),
});
export type SamlLoginQuery = z.infer<typeof samlLoginQuery>;

/** A tenant and its provider, to sign in to or to try out. */
interface Destination {
  readonly tenant_id: string;
  readonly saml: SamlSettings;
  readonly tester: Tester | null;
}

/**
 * Sends the browser to the tenant's identity provider with an AuthnRequest (HTTP-Redirect binding). Without a tenant that has SAML it shows
 * a page that asks for one, whatever the reason.
 * @throws PalisadeError for a test sign-in: UNAUTHENTICATED, FORBIDDEN without `tenants:write`
 */
export async function samlLogin(
  parts: AuthParts,
  request: FastifyRequest,
  reply: FastifyReply,
  query: SamlLoginQuery,
): Promise<FastifyReply> {
  const return_to = safeReturnTo(query.return_to);
  const destination = query.test ? await findTested(parts, request, reply) : await findDestination(parts, query);
  if (!destination) return askForAccount(reply, query, return_to);
  const { tenant_id, saml, tester } = destination;
  const { entity_id, acs_url } = serviceProvider(originOf(parts, request), tenant_id, saml.service_provider ?? 'tenant');
  const binding = bindBrowser(request, reply, parts.publicUrl);
  const row = await openRequest(parts, { tenant_id, entity_id, acs_url, binding, return_to, tester });
  return reply.redirect(await authnRequestUrl(row, saml.idp_sso_url), 302);
}

async function findDestination(parts: AuthParts, { tenant_id, email, account }: SamlLoginQuery): Promise<Destination | null> {
  const hint = account?.includes('@') ? { email: account } : { tenant_id: account };
  const settings = await findTenantSettings(parts, 'saml', account ? hint : { tenant_id, email });
  return settings?.saml ? { tenant_id: settings.tenant_id, saml: settings.saml, tester: null } : null;
}

/** The provider of the caller's own tenant, enabled or not. */
async function findTested(parts: AuthParts, request: FastifyRequest, reply: FastifyReply): Promise<Destination | null> {
  const { user, role, tenant } = await authenticateSession(parts, request, reply);
  if (!permissionsOf(role).includes('tenants:write')) throw missingPermission('tenants:write');
  const row = await parts.database.tenant(tenant.tenant_id).collection(ssoSettings).findOne({});
  return row?.saml ? { tenant_id: tenant.tenant_id, saml: row.saml, tester: { user_id: user._id, email: user.email } } : null;
}

async function authnRequestUrl({ _id, entity_id, acs_url }: SamlRequestRow, entryPoint: string): Promise<string> {
  const { SAML, ValidateInResponseTo } = await import('@node-saml/node-saml');
  const library = new SAML({
    entryPoint,
    issuer: entity_id,
    callbackUrl: acs_url,
    // Not looked at: this instance writes a request and reads no response.
    idpCert: 'none',
    identifierFormat: NAME_ID_FORMAT,
    disableRequestedAuthnContext: true,
    validateInResponseTo: ValidateInResponseTo.never,
    generateUniqueId: () => _id,
  });
  return library.getAuthorizeUrlAsync('', undefined, {});
}

function askForAccount(reply: FastifyReply, { tenant_id, email, account }: SamlLoginQuery, returnTo: string): FastifyReply {
  const asked = account ?? email ?? tenant_id;
  const problem = asked === undefined ? '' : '<p class="problem" role="alert">No single sign-on is set up for this account.</p>';
  return sendPage(
    reply,
    asked === undefined ? 200 : 404,
    'Sign in with your organization',
    `<p class="note">Palisade asks your organization who you are.</p>${problem}
<form method="get" action="/auth/saml/login">
  <input type="hidden" name="return_to" value="${escapeHtml(returnTo)}">
  <label>E-mail address or tenant id
    <input name="account" required maxlength="254" autocomplete="username" autocapitalize="none" spellcheck="false" autofocus value="${escapeHtml(asked ?? '')}">
  </label>
  <button>Continue</button>
</form>`,
    ANY_PROVIDER,
  );
}

/** The form's answer sends the browser on to a provider that this page does not know yet, and browsers hold `form-action` against that too. */
const ANY_PROVIDER = "'self' https: http:";
