import type { FastifyInstance } from 'fastify';
import { parseBody } from '../body.js';
import { assertSameOrigin } from '../csrf.js';
import { clientOf, type AuthParts } from '../parts.js';
import { setSignInCookies } from '../sign-in-cookies.js';
import { sendBody, sendStepCode } from './send.js';
import { verifyBody, verifySecondStep } from './verify.js';

/** The second step for clients that speak JSON. */
export function registerSecondStep(app: FastifyInstance, parts: AuthParts): void {
  app.post('/api/auth/mfa/verify', async (request, reply) => {
    assertSameOrigin(request, parts.publicUrl);
    const outcome = await verifySecondStep(parts, clientOf(request), parseBody(verifyBody, request.body));
    await setSignInCookies(parts, reply, outcome);
    return outcome.result;
  });

  app.post('/api/auth/mfa/send', async (request) => {
    assertSameOrigin(request, parts.publicUrl);
    return sendStepCode(parts, clientOf(request), parseBody(sendBody, request.body));
  });
}
