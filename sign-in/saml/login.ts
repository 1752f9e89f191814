import type { FastifyReply, FastifyRequest } from 'fastify';
import { PalisadeError } from '../../kit/base/errors.js';
import type { SamlSettings } from '../../accounts/providers/records.js';
import type { AuthParts } from '../parts.js';
import { safeReturnTo } from '../return-to.js';
import { bindBrowser } from '../sso/binding.js';
import { findTenantSettings } from '../sso/find-tenant.js';
import { openTest } from '../sso/open-test.js';
import { ssoOrigin } from '../sso/origin.js';
import type { SignInQuery } from '../sso/query.js';
import type { Tester } from '../sso/verification.js';
import { openRequest } from './requests.js';
import { NAME_ID_FORMAT, serviceProvider, type ServiceProvider } from './service-provider.js';

/** A tenant and its provider, to sign in to or to try out. */
interface Target {
  readonly tenant_id: string;
  readonly saml: SamlSettings;
  readonly tester: Tester | null;
}

const noSuchSignIn = () => new PalisadeError('NOT_FOUND', 'There is no such sign-in');

/**
 * Sends the browser to the tenant's identity provider with an AuthnRequest (HTTP-Redirect binding), or to the page that asks for an address
 * where nothing tells the tenant and several have a provider.
 * @throws PalisadeError NOT_FOUND, alike for unknown addresses, tenants and tenants without SAML; UNAUTHENTICATED and FORBIDDEN for a test
 */
export async function samlLogin(parts: AuthParts, request: FastifyRequest, reply: FastifyReply, query: SignInQuery): Promise<FastifyReply> {
  const return_to = safeReturnTo(query.return_to);
  const target = query.test ? await testTarget(parts, request, reply, query) : await signInTarget(parts, query);
  if (!target && query.tenant_id === undefined && query.email === undefined)
    return reply.redirect(`/auth/login/organization?${new URLSearchParams({ return_to }).toString()}`, 302);
  if (!target) throw noSuchSignIn();
  const { tenant_id, saml, tester } = target;
  const here = serviceProvider(ssoOrigin(parts, request), tenant_id, saml.service_provider);
  const binding = bindBrowser(request, reply, parts.publicUrl);
  const row = await openRequest(parts, { tenant_id, binding, return_to, tester });
  return reply.redirect(await authnRequestUrl(row._id, here, saml.idp_sso_url), 302);
}

async function signInTarget(parts: AuthParts, query: SignInQuery): Promise<Target | null> {
  const row = await findTenantSettings(parts, 'saml', query);
  return row?.saml ? { tenant_id: row.tenant_id, saml: row.saml, tester: null } : null;
}

async function testTarget(parts: AuthParts, request: FastifyRequest, reply: FastifyReply, query: SignInQuery): Promise<Target> {
  const { settings, tester } = await openTest(parts, request, reply, query);
  if (!settings?.saml) throw noSuchSignIn();
  return { tenant_id: settings.tenant_id, saml: settings.saml, tester };
}

async function authnRequestUrl(id: string, { entity_id, acs_url }: ServiceProvider, entryPoint: string): Promise<string> {
  // Loaded when it is needed: it takes half a second, and most processes never do.
  const { SAML, ValidateInResponseTo } = await import('@node-saml/node-saml');
  const library = new SAML({
    entryPoint,
    issuer: entity_id,
    callbackUrl: acs_url,
    // Required by the type, and not looked at: this instance writes a request and reads no response.
    idpCert: 'none',
    identifierFormat: NAME_ID_FORMAT,
    disableRequestedAuthnContext: true,
    validateInResponseTo: ValidateInResponseTo.never,
    generateUniqueId: () => id,
  });
  return library.getAuthorizeUrlAsync('', undefined, {});
}
