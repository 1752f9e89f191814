import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorizationCodeGrant, fetchUserInfo } from 'openid-client';
import { PalisadeError } from '../../kit/base/errors.js';
import { ssoSettings, type OauthSettings, type SsoSettingsRow } from '../../accounts/providers/records.js';
import { finishSignIn } from '../finish-sign-in.js';
import { clientOf, type AuthParts } from '../parts.js';
import { redirectAfterSignIn } from '../redirect-after-sign-in.js';
import type { SsoAssertion } from '../sso/assertion.js';
import { isBoundTo, SIGN_IN_TIME } from '../sso/binding.js';
import { endPresent } from '../sso/end-present.js';
import { provision } from '../sso/provision.js';
import { auditRefusedSso, settingsChanged, SignInRefused } from '../sso/refusal.js';
import { sendTestResult } from '../sso/test-page.js';
import { noteVerified, recordTest, type Tester, type TestOutcome } from '../sso/verification.js';
import { assertionOf, needsUserInfo } from './claims.js';
import { outageOf, type OpenIdProviders } from './provider.js';
import { takeState, type OauthStateRow, type StateSecrets } from './states.js';

/** Milliseconds by which the provider's clock may be off. */
const CLOCK_SKEW = 60_000;

type Begun = OauthStateRow & StateSecrets;

const over = () => new SignInRefused('BAD_REQUEST', 'This sign-in was not begun in this browser, or it is over', 'state');

/** The sign-in that an answer belongs to. @throws SignInRefused when it was begun elsewhere, is over, or came back to another address */
async function begunOf(parts: AuthParts, request: FastifyRequest, answer: URL): Promise<Begun> {
  const states = answer.searchParams.getAll('state');
  const begun = states.length === 1 ? await takeState(parts, states[0]!) : null;
  if (!begun || !isBoundTo(request, begun.binding, parts.publicUrl) || new URL(begun.redirect_uri).pathname !== answer.pathname)
    throw over();
  return begun;
}

async function settingsOf(parts: AuthParts, begun: Begun): Promise<SsoSettingsRow & { oauth: OauthSettings }> {
  const row = await parts.database.tenant(begun.tenant_id).collection(ssoSettings).findOne({});
  const oauth = row?.oauth;
  if (!row || !oauth || oauth.issuer !== begun.issuer || oauth.client_id !== begun.client_id) throw settingsChanged();
  if (!oauth.enabled && begun.tester === null) throw settingsChanged();
  return { ...row, oauth };
}

/** Trades the code for an ID token and reads it. @throws SignInRefused; PalisadeError UPSTREAM_UNAVAILABLE */
async function exchange(
  parts: AuthParts,
  providers: OpenIdProviders,
  begun: Begun,
  settings: OauthSettings,
  answer: URL,
): Promise<SsoAssertion> {
  const configuration = await providers.open(begun.tenant_id, settings);
  const address = new URL(begun.redirect_uri);
  address.search = answer.search;
  try {
    const tokens = await authorizationCodeGrant(configuration, address, {
      pkceCodeVerifier: begun.verifier,
      expectedState: begun.state,
      expectedNonce: begun.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims()!;
    const asks = configuration.serverMetadata().userinfo_endpoint !== undefined && needsUserInfo(claims, settings);
    const userInfo = asks ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : null;
    const assertion = assertionOf(begun.tenant_id, settings, claims, userInfo, parts.clock.now());
    if (begun.fresh) assertProvedSince(assertion, begun);
    return assertion;
  } catch (error) {
    if (error instanceof SignInRefused) throw error;
    const { code, message } = error as { code?: string; message: string };
    parts.logger.warn({ tenant: begun.tenant_id, err: { code, message } }, 'the answer of an identity provider was refused');
    throw outageOf(error) ?? new SignInRefused('BAD_REQUEST', 'The answer of the identity provider cannot be trusted', 'answer');
  }
}

/** A provider that states no time was asked with `prompt=login`, and is believed. @throws SignInRefused when the person proved nothing anew */
function assertProvedSince({ authenticated_at }: SsoAssertion, { expires_at }: Begun): void {
  const asked = expires_at.getTime() - SIGN_IN_TIME * 1_000;
  if (authenticated_at !== null && authenticated_at.getTime() < asked - CLOCK_SKEW)
    throw new SignInRefused('FORBIDDEN', 'The identity provider did not ask you to sign in again', 'not_proved_anew');
}

/** A provider that answers with an error says that the person, or the provider, did not want. */
function assertNoError(answer: URL): void {
  const [error] = answer.searchParams.getAll('error');
  if (error === undefined) return;
  const denied = error === 'access_denied';
  throw new SignInRefused('FORBIDDEN', 'The identity provider has refused the sign-in', denied ? 'access_denied' : 'provider_error');
}

/** Ends a test sign-in on a page that says what a real one would do. Whatever was wrong is shown, and noted in the settings. */
async function finishTest(
  parts: AuthParts,
  request: FastifyRequest,
  reply: FastifyReply,
  settings: SsoSettingsRow,
  tester: Tester,
  read: () => Promise<SsoAssertion>,
): Promise<FastifyReply> {
  const note = (outcome: TestOutcome) => recordTest(parts, clientOf(request), settings, 'oauth', tester, outcome);
  try {
    const assertion = await read();
    return sendTestResult(reply, { assertion, preview: await note({ assertion }) });
  } catch (error) {
    if (!(error instanceof PalisadeError)) throw error;
    await note({ refused: error.message });
    return sendTestResult(reply, { refused: error.message });
  }
}

/**
 * Ends a sign-in through an OpenID provider: state, browser, issuer, code, ID token and claims are checked, the account is made or found,
 * and the browser goes on with a session. A test sign-in ends on a page that says what would have happened.
 * @throws SignInRefused; PalisadeError FORBIDDEN when the account may not sign in, UPSTREAM_UNAVAILABLE when the provider is away
 */
export async function finishOauth(
  parts: AuthParts,
  providers: OpenIdProviders,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const answer = new URL(request.url, 'https://palisade.invalid');
  const begun = await begunOf(parts, request, answer);
  const { tenant_id, tester } = begun;
  const client = clientOf(request);
  const settings = await settingsOf(parts, begun);
  const read = async () => {
    assertNoError(answer);
    return exchange(parts, providers, begun, settings.oauth, answer);
  };
  if (tester) return finishTest(parts, request, reply, settings, tester, read);

  let email: string | null = null;
  const account = async () => {
    const assertion = await read();
    email = assertion.email;
    return { ...(await provision(parts, client, settings, assertion)), assertion };
  };
  const { user, home, assertion } = await account().catch(async (error: unknown) => {
    const reason =
      error instanceof SignInRefused ? error.reason : error instanceof PalisadeError && error.code === 'FORBIDDEN' ? 'account' : null;
    if (reason !== null) await auditRefusedSso(parts, client, tenant_id, 'oidc', reason, email);
    throw error;
  });
  const { second_factor, authenticated_at } = assertion;
  const vouched = { method: 'oidc', second_factor, sso_tenant_id: tenant_id, ...(authenticated_at && { authenticated_at }) } as const;
  const outcome = await finishSignIn(parts, client, { user, homes: [home], ...vouched });
  if (begun.fresh && outcome.token !== null) await endPresent(parts, request, user);
  await noteVerified(parts, settings, home.membership.role);
  return redirectAfterSignIn(parts, reply, outcome, begun.return_to);
}
