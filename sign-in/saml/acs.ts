import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ssoSettings, type SsoSettingsRow } from '../../accounts/providers/records.js';
import { clientOf, type AuthParts } from '../parts.js';
import { isBoundTo } from '../sso/binding.js';
import { ssoOrigin } from '../sso/origin.js';
import { auditRefusedSso } from '../sso/refusal.js';
import { sendTestResult } from '../sso/test-page.js';
import { recordTest } from '../sso/verification.js';
import { finishSaml } from './finish.js';
import type { SamlRequestRow } from './records.js';
import { assertThat, SamlRefusal, signInRefused } from './refusal.js';
import { countRefusal, findRequest, keepAnswer } from './requests.js';
import { serviceProvider } from './service-provider.js';
import { readResponse } from './text-gate.js';
import { verifyResponse } from './verify.js';
import { notPlain } from './xml-tree.js';

/** What an identity provider has the browser post. */
export const samlForm = z
  .object({
    SAMLResponse: z.string().min(1).describe('The response, in base64.'),
    RelayState: z.string().optional().describe('Ignored: where to go is kept here.'),
  })
  .describe("An identity provider's answer.");

/**
 * Takes the response that the browser posts from the identity provider, and checks it. A browser that shows that it began the
 * sign-in gets its session at once; any other is sent on to fetch it, because a post from another site carries no SameSite cookie, and the
 * way there does.
 * @param tenantId of the tenant's own address; null at the shared one
 * @throws PalisadeError BAD_REQUEST, PAYLOAD_TOO_LARGE; the reason is in the log, in the tenant's audit log, and with a test sign-in's result
 */
export async function consumeResponse(
  parts: AuthParts,
  request: FastifyRequest,
  reply: FastifyReply,
  tenantId: string | null,
): Promise<FastifyReply> {
  const posted = samlForm.safeParse(request.body);
  if (!posted.success) throw notPlain();
  const response = readResponse(posted.data.SAMLResponse);
  const scope = tenantId === null ? 'untenanted' : 'tenant';
  const here = serviceProvider(ssoOrigin(parts, request), tenantId ?? '', scope);
  const row = await findRequest(parts, response.root.attributes.get('InResponseTo') ?? '', tenantId);
  if (!row) {
    parts.logger.warn({ acs_url: here.acs_url }, 'a SAML response answers no open sign-in');
    throw signInRefused();
  }
  const settings = await parts.database.tenant(row.tenant_id).collection(ssoSettings).findOne({});
  try {
    if (!settings?.saml) throw new SamlRefusal('SAML is not set up');
    // Registered as another application, it may let people in whom this tenant's does not.
    assertThat(settings.saml.service_provider === scope, `The settings name another address than ${here.acs_url}`);
    const facts = await verifyResponse(response, { ...row, ...here }, settings, parts.clock.now());
    const code = await keepAnswer(parts, row, facts, settings.updated_at);
    if (isBoundTo(request, row.binding, parts.publicUrl)) return await finishSaml(parts, request, reply, code);
    return await reply.redirect(`/auth/saml/finish?${new URLSearchParams({ code }).toString()}`, 302);
  } catch (error) {
    if (!(error instanceof SamlRefusal)) throw error;
    return refuse(parts, request, reply, row, settings, error.message);
  }
}

/** Notes why; only an administrator who tries the settings out is shown it. */
async function refuse(
  parts: AuthParts,
  request: FastifyRequest,
  reply: FastifyReply,
  row: SamlRequestRow,
  settings: SsoSettingsRow | null,
  reason: string,
): Promise<FastifyReply> {
  const { tenant_id, tester } = row;
  const client = clientOf(request);
  parts.logger.warn({ tenant_id, reason }, 'a SAML response was refused');
  if (tester && settings) {
    await recordTest(parts, client, settings, 'saml', tester, { refused: reason });
    return sendTestResult(reply, { refused: reason });
  }
  if (await countRefusal(parts, row)) await auditRefusedSso(parts, client, tenant_id, 'saml', reason, null);
  throw signInRefused();
}
