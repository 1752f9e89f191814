import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sendError, toEnvelope } from './envelope.js';
import { html } from './html.js';
import { sendPage } from './page.js';

/** Whether a caller is a browser that wants to show something, rather than a program. */
export const wantsPage = (request: FastifyRequest): boolean => /\btext\/html\b/i.test(request.headers.accept ?? '');

/**
 * Makes the errors of `app`'s routes pages for browsers; other callers get the envelope. Both say the same.
 * @param again where the page leads to; the sign-in page when absent
 */
export function showProblems(app: FastifyInstance, again = '/auth/login'): void {
  app.setErrorHandler((error, request, reply) => {
    const { status, headers, body } = toEnvelope(error, request);
    if (!wantsPage(request) || status >= 500) void reply.header('cache-control', 'no-store');
    if (!wantsPage(request) || body.error_code === 'INTERNAL') return sendError(reply, error);
    void reply.headers(headers);
    return sendPage(
      reply,
      status,
      'This did not work',
      html`<p class="problem" role="alert">${body.message}.</p>
        <p><a href="${again}">Sign in again</a></p>`,
    );
  });
}
