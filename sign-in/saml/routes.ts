import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../../kit/base/errors.js';
import { parseForms } from '../../http/form.js';
import { showProblems } from '../../http/problem.js';
import type { RateLimiter } from '../../http/rate-limit.js';
import { limitByAddress } from '../limit-by-address.js';
import type { AuthParts } from '../parts.js';
import { ssoOrigin } from '../sso/origin.js';
import { parseSignInQuery } from '../sso/query.js';
import { consumeResponse } from './acs.js';
import { finishSaml } from './finish.js';
import { samlLogin } from './login.js';
import { getRequestKeys } from './request-keys.js';
import { metadataOf, serviceProvider, type ServiceProvider } from './service-provider.js';
import { MAX_XML_BYTES } from './text-gate.js';

/** Bytes of the posted form: base64 takes a third more, and a form writes some of its letters as three. */
const FORM_LIMIT = Math.ceil(MAX_XML_BYTES * 1.6) + 8_192;

const TENANT_ID = /^[A-Za-z0-9_-]{1,128}$/;
type OfTenant = FastifyRequest<{ Params: { tenant_id: string } }>;

/** @throws PalisadeError NOT_FOUND for what can be no tenant's id; whether there is such a tenant is not looked up */
function tenantIdOf({ params }: OfTenant): string {
  if (!TENANT_ID.test(params.tenant_id)) throw notFound('Tenant');
  return params.tenant_id;
}

const codeOf = ({ query }: FastifyRequest): string => {
  const { code } = query as { code?: unknown };
  return typeof code === 'string' ? code.slice(0, 128) : '';
};

/** The SAML 2.0 service provider (specification, "Single sign-on"), in its two shapes: the tenant's own and the shared one. */
export function samlRoutes(parts: AuthParts, rateLimiter?: RateLimiter): FastifyPluginAsync {
  return async (app) => {
    parseForms(app, FORM_LIMIT);
    showProblems(app);
    limitByAddress(app, rateLimiter);
    const sendMetadata = async (reply: FastifyReply, shown: ServiceProvider) => {
      const certificates = await (await getRequestKeys(parts)).certificates();
      return reply.type('application/xml; charset=utf-8').send(metadataOf(shown, certificates));
    };

    app.get('/auth/saml/login', (request, reply) => samlLogin(parts, request, reply, parseSignInQuery(request)));
    app.get('/auth/saml/finish', (request, reply) => finishSaml(parts, request, reply, codeOf(request)));

    app.post('/auth/saml/callback', (request, reply) => consumeResponse(parts, request, reply, null));
    app.post('/api/auth/saml/:tenant_id/acs/', (request: OfTenant, reply) => consumeResponse(parts, request, reply, tenantIdOf(request)));

    app.get('/auth/saml/metadata', async (request, reply) =>
      sendMetadata(reply, serviceProvider(ssoOrigin(parts, request), '', 'untenanted')),
    );
    app.get('/api/auth/saml/:tenant_id/metadata/', async (request: OfTenant, reply) =>
      sendMetadata(reply, serviceProvider(ssoOrigin(parts, request), tenantIdOf(request), 'tenant')),
    );
  };
}
