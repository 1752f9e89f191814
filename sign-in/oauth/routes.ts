import type { FastifyPluginAsync } from 'fastify';
import { showProblems } from '../../http/problem.js';
import type { RateLimiter } from '../../http/rate-limit.js';
import { limitByAddress } from '../limit-by-address.js';
import type { AuthParts } from '../parts.js';
import { parseSignInQuery } from '../sso/query.js';
import { beginOauth } from './begin.js';
import { finishOauth } from './finish.js';
import { createOpenIdProviders } from './provider.js';

/** Sign-in through tenants' OpenID providers. */
export function oauthRoutes(parts: AuthParts, rateLimiter?: RateLimiter): FastifyPluginAsync {
  return async (app) => {
    const providers = createOpenIdProviders(parts);
    showProblems(app);
    limitByAddress(app, rateLimiter);
    app.get('/auth/oauth/login', (request, reply) => beginOauth(parts, providers, request, reply, parseSignInQuery(request)));
    for (const path of ['/auth/oauth/callback', '/api/auth/oauth/:tenant_id/callback'])
      app.get(path, (request, reply) => finishOauth(parts, providers, request, reply));
  };
}
