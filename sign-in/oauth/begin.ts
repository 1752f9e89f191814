import type { FastifyReply, FastifyRequest } from 'fastify';
import { buildAuthorizationUrl, calculatePKCECodeChallenge } from 'openid-client';
import { PalisadeError } from '../../kit/base/errors.js';
import type { OauthSettings } from '../../accounts/providers/records.js';
import { serviceProviderAddresses } from '../../accounts/providers/service-provider.js';
import type { AuthParts } from '../parts.js';
import { safeReturnTo } from '../return-to.js';
import { bindBrowser } from '../sso/binding.js';
import { findTenantSettings } from '../sso/find-tenant.js';
import { openTest } from '../sso/open-test.js';
import { ssoOrigin } from '../sso/origin.js';
import type { SignInQuery } from '../sso/query.js';
import type { Tester } from '../sso/verification.js';
import type { OpenIdProviders } from './provider.js';
import { beginState } from './states.js';

interface Target {
  readonly tenant_id: string;
  readonly oauth: OauthSettings;
  readonly tester: Tester | null;
}

const noSuchSignIn = () => new PalisadeError('NOT_FOUND', 'There is no such sign-in');

/** The provider that a person asks for. @throws PalisadeError NOT_FOUND, alike for unknown addresses, tenants and tenants without a provider */
async function targetOf(parts: AuthParts, request: FastifyRequest, query: SignInQuery): Promise<Target> {
  if (query.test) return testTargetOf(parts, request, query);
  const row = await findTenantSettings(parts, 'oauth', query);
  if (!row?.oauth) throw noSuchSignIn();
  return { tenant_id: row.tenant_id, oauth: row.oauth, tester: null };
}

async function testTargetOf(parts: AuthParts, request: FastifyRequest, query: SignInQuery): Promise<Target> {
  const { settings, tester } = await openTest(parts, request, query);
  if (!settings?.oauth) throw noSuchSignIn();
  return { tenant_id: settings.tenant_id, oauth: settings.oauth, tester };
}

/**
 * Sends the browser to the tenant's OpenID provider: authorization code flow with PKCE (RFC 7636), state and nonce, tied to the browser.
 * @throws PalisadeError NOT_FOUND, UPSTREAM_UNAVAILABLE; UNAUTHENTICATED and FORBIDDEN for a test sign-in
 */
export async function beginOauth(
  parts: AuthParts,
  providers: OpenIdProviders,
  request: FastifyRequest,
  reply: FastifyReply,
  query: SignInQuery,
): Promise<FastifyReply> {
  const { tenant_id, oauth, tester } = await targetOf(parts, request, query);
  const configuration = await providers.open(tenant_id, oauth);
  const addresses = serviceProviderAddresses(ssoOrigin(parts, request), tenant_id);
  const { redirect_uri } = addresses.oauth.find(({ scope }) => scope === oauth.callback)!;
  const { state, nonce, verifier } = await beginState(parts, {
    tenant_id,
    issuer: oauth.issuer,
    client_id: oauth.client_id,
    redirect_uri,
    return_to: safeReturnTo(query.return_to),
    binding: bindBrowser(request, reply, parts.publicUrl),
    tester,
    fresh: query.reauthenticate,
  });
  const tellsGroups = configuration.serverMetadata().scopes_supported?.includes('groups') ?? false;
  const target = buildAuthorizationUrl(configuration, {
    redirect_uri,
    scope: `openid email profile${tellsGroups ? ' groups' : ''}`,
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(query.reauthenticate && { prompt: 'login', max_age: '0' }),
    ...(query.email !== undefined && { login_hint: query.email }),
  });
  return reply.redirect(target.href, 302);
}
