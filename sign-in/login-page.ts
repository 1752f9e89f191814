import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ERROR_TABLE } from '../schema/error-table.js';
import { PalisadeError } from '../kit/base/errors.js';
import { assertOwnForm, parseForms } from '../http/form.js';
import { html, type Html } from '../http/html.js';
import { sendPage } from '../http/page.js';
import { showProblems } from '../http/problem.js';
import type { RateLimiter } from '../http/rate-limit.js';
import { parseBody } from './body.js';
import { limitByAddress } from './limit-by-address.js';
import { login, loginBody } from './login.js';
import type { AuthParts } from './parts.js';
import { redirectAfterSignIn } from './redirect-after-sign-in.js';
import { RETURN_TO, safeReturnTo } from './return-to.js';
import { findTenantSettings } from './sso/find-tenant.js';
import { parseSignInQuery } from './sso/query.js';

/** Bytes of a form. */
const FORM_LIMIT = 16_384;

/** What the form of the sign-in page sends. */
export const loginForm = loginBody.extend({ return_to: z.string().max(2_000).optional().describe(RETURN_TO) }).describe('Credentials.');

/** Input errors that the page itself shows; everything else is a page of its own. */
const SHOWN: readonly string[] = ['UNAUTHENTICATED', 'FORBIDDEN', 'RATE_LIMITED', 'VALIDATION_ERROR'];

const returnField = (returnTo: string): Html => html`<input type="hidden" name="return_to" value="${returnTo}">`;

const addressOf = (path: string, returnTo: string, email?: string): string =>
  `${path}?${new URLSearchParams({ ...(email !== undefined && { email }), return_to: returnTo }).toString()}`;

const emailField = (email: string, autofocus = true): Html =>
  html`<label>E-mail address<input name="email" type="email" maxlength="254" autocomplete="username" required value="${email}"${autofocus && ' autofocus'}></label>`;

const problemOf = (problem: string | undefined): Html | undefined =>
  problem === undefined ? undefined : html`<p class="problem" role="alert">${problem}.</p>`;

/** An account that the sign-in page names: those of the demo, whose password the start has printed. */
export interface NamedAccount {
  readonly email: string;
  /** What it may do where. */
  readonly says: string;
}

/** What the demo's sign-in page says beside the form: who there is, each a link that fills the address in. */
const demoHint = (accounts: readonly NamedAccount[], returnTo: string): Html | null =>
  accounts.length === 0
    ? null
    : html`<section>
        <h2>This is the demo</h2>
        <p class="note">Its accounts have one password: <code>DEMO_PASSWORD</code>, or the one that the first start has printed.</p>
        <ul>
          ${accounts.map(({ email, says }) => html`<li><a href="${addressOf('/auth/login', returnTo, email)}">${email}</a> <small>${says}</small></li>`)}
        </ul>
      </section>`;

interface Shown {
  readonly returnTo: string;
  readonly status?: number;
  readonly email?: string;
  readonly problem?: string;
}

function sendLogin(
  reply: FastifyReply,
  { returnTo, status = 200, email = '', problem }: Shown,
  accounts: readonly NamedAccount[],
): FastifyReply {
  return sendPage(
    reply,
    status,
    'Sign in',
    html`${problemOf(problem)}
      <form method="post" action="/auth/login">
        ${emailField(email, email === '')}
        <label>Password<input name="password" type="password" maxlength="1024" autocomplete="current-password" required${email !== '' && ' autofocus'}></label>
        ${returnField(returnTo)}<button>Sign in</button>
      </form>
      <p><a href="${addressOf('/auth/login/organization', returnTo)}">Sign in with your organization</a></p>
      <p><a href="/auth/password/forgot">Forgot password</a></p>
      ${demoHint(accounts, returnTo)}`,
  );
}

function sendOrganization(reply: FastifyReply, { returnTo, status = 200, email = '', problem }: Shown): FastifyReply {
  return sendPage(
    reply,
    status,
    'Sign in with your organization',
    html`${problemOf(problem)}
      <form method="get" action="/auth/login/organization">${emailField(email)} ${returnField(returnTo)}<button>Continue</button></form>
      <p><a href="${addressOf('/auth/login', returnTo)}">Sign in with a password</a></p>`,
  );
}

/**
 * Leads to the identity provider of an address. The way there is a link that the page follows by itself: a browser would hold a form that
 * is redirected to another site to this page's `form-action`.
 */
async function sendToOrganization(parts: AuthParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { email, return_to } = parseSignInQuery(request);
  const returnTo = safeReturnTo(return_to);
  if (email === undefined) return sendOrganization(reply, { returnTo });
  for (const kind of ['saml', 'oauth'] as const) {
    if ((await findTenantSettings(parts, kind, { email })) === null) continue;
    const target = `/auth/${kind}/login?${new URLSearchParams({ email, return_to: returnTo }).toString()}`;
    const body = html`<meta http-equiv="refresh" content="0;url=${target}">
      <p><a href="${target}">Continue to your organization</a></p>`;
    return sendPage(reply, 200, 'One moment', body);
  }
  const problem = 'There is no sign-in of an organization for this address';
  return sendOrganization(reply, { returnTo, email, problem, status: 404 });
}

async function postLogin(
  parts: AuthParts,
  request: FastifyRequest,
  reply: FastifyReply,
  accounts: readonly NamedAccount[],
): Promise<FastifyReply> {
  assertOwnForm(request, parts.publicUrl);
  const typed = z.object({ email: z.string().max(320).catch(''), return_to: z.string().catch('') }).parse(request.body ?? {});
  const returnTo = safeReturnTo(typed.return_to);
  try {
    const { return_to: _, ...credentials } = parseBody(loginForm, request.body);
    return await redirectAfterSignIn(parts, reply, await login(parts, request, credentials), returnTo);
  } catch (error) {
    if (!(error instanceof PalisadeError) || !SHOWN.includes(error.code)) throw error;
    const detail = error.extensions['detail'] as { retry_after?: number } | null;
    if (typeof detail?.retry_after === 'number') void reply.header('retry-after', String(Math.ceil(detail.retry_after)));
    return sendLogin(reply, { returnTo, email: typed.email, problem: error.message, status: ERROR_TABLE[error.code].status }, accounts);
  }
}

/**
 * The sign-in page, which needs no script: password, or the way to the identity provider of one's organization.
 * @param named accounts that it names, as they are when it is asked for; none without it
 */
export function loginPageRoutes(
  parts: AuthParts,
  rateLimiter?: RateLimiter,
  named: () => readonly NamedAccount[] = () => [],
): FastifyPluginAsync {
  return async (app) => {
    parseForms(app, FORM_LIMIT);
    showProblems(app);
    limitByAddress(app, rateLimiter);
    app.get('/auth/login', async (request, reply) => {
      const { email, return_to } = parseSignInQuery(request);
      return sendLogin(reply, { returnTo: safeReturnTo(return_to), email }, named());
    });
    app.get('/auth/login/organization', (request, reply) => sendToOrganization(parts, request, reply));
    app.post('/auth/login', (request, reply) => postLogin(parts, request, reply, named()));
  };
}
