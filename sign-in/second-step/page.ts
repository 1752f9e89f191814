import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { PalisadeError, unauthenticated } from '../../kit/base/errors.js';
import { describeTotpSecret, unsealTotp, type TotpSecret } from '../../accounts/factors/totp.js';
import { toEnvelope } from '../../http/envelope.js';
import { assertOwnForm, parseForms } from '../../http/form.js';
import { html, type Html } from '../../http/html.js';
import { sendPage } from '../../http/page.js';
import { showProblems } from '../../http/problem.js';
import type { RateLimiter } from '../../http/rate-limit.js';
import { parseBody } from '../body.js';
import { clientOf, type AuthParts } from '../parts.js';
import { limitByAddress } from '../limit-by-address.js';
import { SECOND_STEP_PAGE } from '../redirect-after-sign-in.js';
import { RETURN_TO, safeReturnTo } from '../return-to.js';
import { setSignInCookies } from '../sign-in-cookies.js';
import { getChallenge, type Challenge } from './challenge.js';
import { sendStepCode } from './send.js';
import { verifySecondStep } from './verify.js';

const place = {
  challenge_id: z.string().min(1).max(64).describe('The sign-in under way.'),
  return_to: z.string().max(2_000).default('/').describe(RETURN_TO),
};
const query = z.object(place);
/** What the form of the second step sends. */
export const secondStepForm = z
  .discriminatedUnion('step', [
    z.strictObject({ ...place, step: z.literal('send').describe('Mails a code.') }),
    z.strictObject({
      ...place,
      step: z.literal('verify').describe('Takes the code.'),
      code: z.string().trim().max(64).describe('The code.'),
    }),
  ])
  .describe('A code, or the wish to be mailed one.');

/** Bytes of a form. */
const FORM_LIMIT = 4_096;
/** Refusals that the page itself shows; anything else is the app's to answer. */
const SHOWN = new Set(['UNAUTHENTICATED', 'RATE_LIMITED', 'VALIDATION_ERROR', 'UPSTREAM_UNAVAILABLE']);

/** The second step for browsers, where a sign-in through an identity provider, an invite or the sign-in page ends. It needs no script. */
export function secondStepPage(parts: AuthParts, rateLimiter?: RateLimiter): FastifyPluginAsync {
  return async (app) => {
    parseForms(app, FORM_LIMIT);
    limitByAddress(app, rateLimiter);
    showProblems(app);

    app.get(SECOND_STEP_PAGE, (request, reply) => show(parts, request, reply, parseBody(query, request.query)));

    app.post(SECOND_STEP_PAGE, async (request, reply) => {
      assertOwnForm(request, parts.publicUrl);
      const body = parseBody(secondStepForm, request.body);
      try {
        if (body.step === 'send') {
          await sendStepCode(parts, clientOf(request), { challenge_id: body.challenge_id });
          return await show(parts, request, reply, body, { note: 'The code is on its way.' });
        }
        if (body.code === '') throw new PalisadeError('VALIDATION_ERROR', 'Enter the code');
        return await verify(parts, request, reply, body);
      } catch (error) {
        if (!(error instanceof PalisadeError) || !SHOWN.has(error.code)) throw error;
        const { status, headers } = toEnvelope(error, request);
        return show(parts, request, reply.headers(headers), body, { problem: error.message, status });
      }
    });
  };
}

async function verify(
  parts: AuthParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { challenge_id, code, return_to }: { challenge_id: string; code: string; return_to: string },
): Promise<FastifyReply> {
  const outcome = await verifySecondStep(parts, clientOf(request), { challenge_id, code });
  const { result } = outcome;
  await setSignInCookies(parts, reply, outcome);
  const next = safeReturnTo(return_to);
  const codes = result.status === 'ok' ? result.recovery_codes : undefined;
  if (!codes) return reply.header('cache-control', 'no-store').redirect(next, 303);
  const list = codes.map((one) => html`<li><code>${one}</code></li>`);
  return sendPage(
    reply,
    200,
    'Keep your recovery codes',
    html`<p>Each of them signs you in once when you cannot show your second factor. They are not shown again.</p>
      <ul>
        ${list}
      </ul>
      <p><a href="${next}">I have kept them: go on</a></p>`,
  );
}

interface Notice {
  note?: string;
  problem?: string;
  status?: number;
}

/** The page as it stands for the sign-in now. @throws PalisadeError UNAUTHENTICATED when that is over */
async function show(
  parts: AuthParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { challenge_id, return_to }: { challenge_id: string; return_to: string },
  { note, problem, status = 200 }: Notice = {},
): Promise<FastifyReply> {
  const challenge = await getChallenge(parts, clientOf(request), challenge_id).catch((error: unknown) => {
    throw error instanceof PalisadeError ? unauthenticated('This sign-in is over: it took too long, or it was completed') : error;
  });
  const notices = [
    problem && html`<p class="problem" role="alert">${problem}</p>`,
    note && html`<p class="note" role="status">${note}</p>`,
  ];
  const hidden = [
    ['challenge_id', challenge_id],
    ['return_to', safeReturnTo(return_to)],
  ].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
  return sendPage(
    reply,
    status,
    challenge.isEnrollment ? 'Set up a second factor' : 'Confirm that it is you',
    html`${notices}${bodyOf(parts, challenge, hidden)}`,
  );
}

function bodyOf({ masterKey }: AuthParts, { row, user, methods, isEnrollment }: Challenge, hidden: readonly Html[]): Html {
  const secret = row.totp_sealed === null ? null : unsealTotp(masterKey, row._id, row.totp_sealed);
  const intro = secret === null ? html`<p>Enter ${describeCodes(methods)}.</p>` : enrollment(describeTotpSecret(user.email, secret));
  const label = isEnrollment ? 'Code of the app, or from the mail' : 'Code';
  const mail = html`<form method="post" action="${SECOND_STEP_PAGE}">
    ${hidden}<input type="hidden" name="step" value="send">
    <button>${isEnrollment ? 'Use codes by e-mail instead: send one' : 'Send a code by e-mail'}</button>
  </form>`;
  return html`${intro}
    <form method="post" action="${SECOND_STEP_PAGE}">
      ${hidden}<input type="hidden" name="step" value="verify">
      <label>${label}<input name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" required autofocus maxlength="64"></label>
      <button>Continue</button>
    </form>
    ${methods.includes('email') && mail}`;
}

const enrollment = ({ secret, otpauth_url }: TotpSecret): Html =>
  html`<p>
      Your role or your organization asks for a second factor. Add this key to an authenticator app and enter the code that the app shows.
    </p>
    <p><code>${secret.match(/.{1,4}/g)!.join(' ')}</code></p>
    <p class="note"><a href="${otpauth_url}">Open it in an app of this device</a></p>`;

function describeCodes(methods: Challenge['methods']): string {
  const names = {
    totp: 'the code that your authenticator app shows',
    email: 'the code that we mail you',
    recovery: 'one of your recovery codes',
  };
  return methods.map((method) => names[method]).join(', or ');
}
