import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ERROR_TABLE } from '../schema/error-table.js';
import { invalid, PalisadeError, violationsOf } from '../kit/base/errors.js';
import { assertOwnForm, parseForms } from '../http/form.js';
import { sendPage, type Page } from '../http/page.js';
import { showProblems } from '../http/problem.js';
import type { RateLimiter } from '../http/rate-limit.js';
import { acceptAndSignIn, acceptBody } from './invites/accept.js';
import { invitePage } from './invites/page.js';
import { limitByAddress } from './limit-by-address.js';
import { redirectAfterSignIn } from './redirect-after-sign-in.js';
import { clientOf, type AuthParts } from './parts.js';
import { CHANGED_PAGE, forgotPage, resetPage, SENT_PAGE } from './passwords/pages.js';
import { forgotBody, forgotPassword, resetBody, resetPassword } from './passwords/reset.js';

/** Bytes; a form holds a token and a password. */
const FORM_LIMIT = 16_384;

/** Mistakes that the same form can make good; everything else ends on a page of its own. */
const CORRECTABLE = new Set(['VALIDATION_ERROR', 'UNAUTHENTICATED']);

const tokenOf = (request: FastifyRequest): string => {
  const { token } = request.query as { token?: unknown };
  return typeof token === 'string' ? token : '';
};

/** What a form was sent with, before its schema is asked. */
const typedIn = (request: FastifyRequest): { token: string; name: string } => {
  const { token = '', name = '' } = (request.body ?? {}) as { token?: string; name?: string };
  return { token, name };
};

/** A form as its schema has it. @throws PalisadeError VALIDATION_ERROR whose message says to a person what is wrong */
function readForm<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body ?? {});
  if (parsed.success) return parsed.data;
  throw invalid(violationsOf(parsed.error), parsed.error.issues.map(({ message }) => message).join('. '));
}

const show = (reply: FastifyReply, [title, body]: Page, status = 200) => sendPage(reply, status, title, body);

/** Runs `work`; a mistake in what was entered shows `page` again, with what is wrong. */
async function corrected(
  reply: FastifyReply,
  page: (problem: string) => Page | Promise<Page>,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PalisadeError) || !CORRECTABLE.has(error.code)) throw error;
    return show(reply, await page(error.message), ERROR_TABLE[error.code].status);
  }
}

/** The pages behind the links of mails; they work without scripts. Opening one changes nothing: mail servers open links, too. */
export function accountPages(parts: AuthParts, rateLimiter?: RateLimiter): FastifyPluginAsync {
  return async (app) => {
    parseForms(app, FORM_LIMIT);
    limitByAddress(app, rateLimiter);
    showProblems(app);

    app.get('/auth/invite', async (request, reply) => show(reply, await invitePage(parts, request, { token: tokenOf(request) })));
    app.post('/auth/invite', async (request, reply) => {
      assertOwnForm(request, parts.publicUrl);
      return corrected(
        reply,
        (problem) => invitePage(parts, request, typedIn(request), problem),
        async () => {
          const form = readForm(acceptBody, request.body);
          return redirectAfterSignIn(parts, reply, await acceptAndSignIn(parts, request, form), '/');
        },
      );
    });

    app.get('/auth/password/forgot', async (_request, reply) => show(reply, forgotPage()));
    app.post('/auth/password/forgot', async (request, reply) => {
      assertOwnForm(request, parts.publicUrl);
      await forgotPassword(parts, clientOf(request), readForm(forgotBody, request.body));
      return show(reply, SENT_PAGE);
    });

    app.get('/auth/password/reset', async (request, reply) => show(reply, await resetPage(parts, tokenOf(request))));
    app.post('/auth/password/reset', async (request, reply) => {
      assertOwnForm(request, parts.publicUrl);
      return corrected(
        reply,
        (problem) => resetPage(parts, typedIn(request).token, problem),
        async () => {
          await resetPassword(parts, clientOf(request), readForm(resetBody, request.body));
          return show(reply, CHANGED_PAGE);
        },
      );
    });
  };
}
