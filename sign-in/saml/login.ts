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
import type { SamlRequestRow } from './records.js';
import { openRequest } from './requests.js';
import { getRequestKeys } from './request-keys.js';
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
  const target = query.test ? await testTarget(parts, request, query) : await signInTarget(parts, query);
  if (!target && query.tenant_id === undefined && query.email === undefined)
    return reply.redirect(`/auth/login/organization?${new URLSearchParams({ return_to }).toString()}`, 302);
  if (!target) throw noSuchSignIn();
  const { tenant_id, saml, tester } = target;
  const here = serviceProvider(ssoOrigin(parts, request), tenant_id, saml.service_provider);
  const binding = bindBrowser(request, reply, parts.publicUrl);
  const row = await openRequest(parts, { tenant_id, binding, return_to, tester, fresh: query.reauthenticate });
  return reply.redirect(await authnRequestUrl(parts, row, here, saml.idp_sso_url), 302);
}

async function signInTarget(parts: AuthParts, query: SignInQuery): Promise<Target | null> {
  const row = await findTenantSettings(parts, 'saml', query);
  return row?.saml ? { tenant_id: row.tenant_id, saml: row.saml, tester: null } : null;
}

async function testTarget(parts: AuthParts, request: FastifyRequest, query: SignInQuery): Promise<Target> {
  const { settings, tester } = await openTest(parts, request, query);
  if (!settings?.saml) throw noSuchSignIn();
  return { tenant_id: settings.tenant_id, saml: settings.saml, tester };
}

/** The address of the provider with the AuthnRequest, signed RSA-SHA256 (saml-bindings-2.0-os, 3.4.4.1). */
async function authnRequestUrl(
  parts: AuthParts,
  { _id, fresh = false }: SamlRequestRow,
  { entity_id, acs_url }: ServiceProvider,
  entryPoint: string,
): Promise<string> {
  const key = await (await getRequestKeys(parts)).signingKey();
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
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    signatureAlgorithm: 'sha256',
    forceAuthn: fresh,
    generateUniqueId: () => _id,
  });
  return library.getAuthorizeUrlAsync('', undefined, {});
}
