import type { FastifyReply, FastifyRequest } from 'fastify';
import { PalisadeError } from '../../kit/base/errors.js';
import { ssoSettings, type SsoSettingsRow } from '../../accounts/providers/records.js';
import { finishSignIn } from '../finish-sign-in.js';
import { clientOf, type AuthParts } from '../parts.js';
import { redirectAfterSignIn } from '../redirect-after-sign-in.js';
import { endPresent } from '../sso/end-present.js';
import { isBoundTo } from '../sso/binding.js';
import { provision } from '../sso/provision.js';
import { auditRefusedSso } from '../sso/refusal.js';
import { sendTestResult } from '../sso/test-page.js';
import { noteVerified, recordTest } from '../sso/verification.js';
import { signInRefused } from './refusal.js';
import { endRequest, findAnswered, type AnsweredRequest } from './requests.js';

/**
 * Ends a sign-in in the browser that began it: makes the account and the session, or shows what a test has found.
 * @throws PalisadeError BAD_REQUEST for a code that is unknown, used or of another browser; FORBIDDEN when the account may not sign in
 */
export async function finishSaml(parts: AuthParts, request: FastifyRequest, reply: FastifyReply, code: string): Promise<FastifyReply> {
  const row = await findAnswered(parts, code);
  if (!row || !isBoundTo(request, row.binding, parts.publicUrl)) throw signInRefused();
  if (!(await endRequest(parts, row))) throw signInRefused();
  const settings = await parts.database.tenant(row.tenant_id).collection(ssoSettings).findOne({});
  // An administrator may have changed the provider or its certificate between the answer and now.
  if (!settings?.saml || settings.updated_at.getTime() !== row.settings_at?.getTime()) throw signInRefused();
  const client = clientOf(request);
  if (row.tester) {
    const preview = await recordTest(parts, client, settings, 'saml', row.tester, { assertion: row.assertion });
    return sendTestResult(reply, { assertion: row.assertion, preview });
  }
  if (!settings.saml.enabled) throw signInRefused();
  return signIn(parts, request, reply, settings, row);
}

async function signIn(
  parts: AuthParts,
  request: FastifyRequest,
  reply: FastifyReply,
  settings: SsoSettingsRow,
  { assertion, tenant_id, return_to, fresh }: AnsweredRequest,
): Promise<FastifyReply> {
  const client = clientOf(request);
  const { user, home } = await provision(parts, client, settings, assertion).catch(async (error: unknown) => {
    if (error instanceof PalisadeError) await auditRefusedSso(parts, client, tenant_id, 'saml', error.message, assertion.email);
    throw error;
  });
  const { second_factor, authenticated_at } = assertion;
  const vouched = { method: 'saml', second_factor, sso_tenant_id: tenant_id, ...(authenticated_at && { authenticated_at }) } as const;
  const outcome = await finishSignIn(parts, client, { user, homes: [home], ...vouched });
  if (fresh && outcome.token !== null) await endPresent(parts, request, user);
  await noteVerified(parts, settings, home.membership.role);
  return redirectAfterSignIn(parts, reply, outcome, return_to);
}
