import type { FastifyInstance, FastifyPluginAsync, FastifyReply } from 'fastify';
import { badRequest } from '../kit/base/errors.js';
import type { RateLimiter } from '../http/rate-limit.js';
import { parseBody } from './body.js';
import { assertJsonBody, assertSameOrigin } from './csrf.js';
import type { SignInOutcome } from './finish-sign-in.js';
import { acceptAndSignIn, acceptBody } from './invites/accept.js';
import { limitByAddress } from './limit-by-address.js';
import { beginLink, finishLink, linkBody } from './link-accounts.js';
import { login, loginBody } from './login.js';
import { logout } from './logout.js';
import { clientOf, type AuthParts } from './parts.js';
import { changeBody, changePassword } from './passwords/change.js';
import { forgotBody, forgotPassword, resetBody, resetPassword } from './passwords/reset.js';
import { reauthenticate, reauthenticateBody } from './reauthenticate.js';
import { refresh } from './refresh.js';
import { registerSecondStep } from './second-step/routes.js';
import { setSignInCookies } from './sign-in-cookies.js';
import { switchBody, switchTenant } from './switch-tenant.js';

/** Bytes; credentials are short. */
const BODY_LIMIT = 16_384;

/** The routes under /api/auth, with their own body parser: JSON only, and an empty body is none. */
export function authRoutes(parts: AuthParts, rateLimiter?: RateLimiter): FastifyPluginAsync {
  /** The body of a sign-in that goes on, with the cookie where it is complete. */
  const answer = async (reply: FastifyReply, outcome: SignInOutcome): Promise<SignInOutcome['result']> => {
    await setSignInCookies(parts, reply, outcome);
    return outcome.result;
  };
  return async (app) => {
    parseJsonOnly(app);
    limitByAddress(app, rateLimiter);
    app.addHook('onRequest', async (request) => assertJsonBody(request));

    app.post('/api/auth/login', async (request, reply) => {
      assertSameOrigin(request, parts.publicUrl);
      return answer(reply, await login(parts, request, parseBody(loginBody, request.body)));
    });

    registerSecondStep(app, parts);

    app.post('/api/auth/refresh', (request, reply) => refresh(parts, request, reply));

    app.post('/api/auth/reauthenticate', (request) => reauthenticate(parts, request, () => parseBody(reauthenticateBody, request.body)));

    app.post('/api/auth/switch-tenant', (request, reply) => switchTenant(parts, request, reply, () => parseBody(switchBody, request.body)));

    app.post('/api/auth/invites/accept', async (request, reply) => {
      assertSameOrigin(request, parts.publicUrl);
      return answer(reply, await acceptAndSignIn(parts, request, parseBody(acceptBody, request.body)));
    });

    app.post('/api/auth/password/forgot', async (request, reply) => {
      assertSameOrigin(request, parts.publicUrl);
      await forgotPassword(parts, clientOf(request), parseBody(forgotBody, request.body));
      return reply.code(202).send({ status: 'accepted' });
    });

    app.post('/api/auth/password/reset', async (request, reply) => {
      assertSameOrigin(request, parts.publicUrl);
      await resetPassword(parts, clientOf(request), parseBody(resetBody, request.body));
      return reply.code(204).send();
    });

    app.post('/api/auth/password/change', async (request, reply) => {
      await changePassword(parts, request, reply, () => parseBody(changeBody, request.body));
      return reply.code(204).send();
    });

    app.post('/api/auth/link', (request) => beginLink(parts, request));

    app.post('/api/auth/link/finish', async (request, reply) => {
      await finishLink(parts, request, reply, () => parseBody(linkBody, request.body));
      return reply.code(204).send();
    });

    app.post('/api/auth/logout', async (request, reply) => {
      await logout(parts, request, reply);
      return reply.code(204).send();
    });
  };
}

function parseJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: BODY_LIMIT },
    async (_request: unknown, body: string | Buffer) => {
      const text = String(body);
      if (text.trim() === '') return undefined;
      try {
        return JSON.parse(text) as unknown;
      } catch {
        throw badRequest('The body is not valid JSON');
      }
    },
  );
}
