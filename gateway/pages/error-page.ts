import type { FastifyReply } from 'fastify';
import { drain } from '../http/drain.js';
import { sendError, toEnvelope } from '../http/envelope.js';
import { escapeHtml, sendPage } from './page.js';

/**
 * Answers an error to whoever asked: a page to a browser, the envelope to everybody else, and to both for what nobody expected.
 * @param again where to try once more
 */
export function sendErrorOrPage(reply: FastifyReply, error: unknown, title: string, again: string): FastifyReply {
  const { request } = reply;
  const { status, headers, body } = toEnvelope(error, request);
  if (status === 500 || !/\btext\/html\b/.test(request.headers.accept ?? '')) return sendError(reply, error);
  drain(request.raw);
  return sendPage(
    reply.headers(headers),
    status,
    title,
    `<p class="problem" role="alert">${escapeHtml(body.message)}</p><p><a href="${escapeHtml(again)}">Try again</a></p>`,
  );
}
