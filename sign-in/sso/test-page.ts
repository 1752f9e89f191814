import type { FastifyReply } from 'fastify';
import { html } from '../../http/html.js';
import { sendPage } from '../../http/page.js';
import type { SsoAssertion } from './assertion.js';
import type { SignInPreview } from './verification.js';

/** What a test sign-in came to: what the provider says and what a sign-in would come to, or why it was refused. */
export type TestResult = { assertion: SsoAssertion; preview: SignInPreview } | { refused: string };

/** The page at the end of a test sign-in; no session comes of it. */
export function sendTestResult(reply: FastifyReply, result: TestResult): FastifyReply {
  if ('refused' in result)
    return sendPage(reply, 200, 'The test sign-in was refused', html`<p class="problem" role="alert">${result.refused}.</p>`);
  const { assertion, preview } = result;
  const refused = 'refused' in preview ? preview.refused : null;
  const rows: [string, string][] = [
    ['E-mail address', assertion.email],
    ['Name', assertion.name || 'none'],
    ['Groups', assertion.groups.slice(0, 50).join(', ') || 'none'],
    ['Role', 'role' in preview ? preview.role : 'none'],
    ['Second factor at the provider', assertion.second_factor ? 'yes' : 'not stated'],
  ];
  const list = rows.map(
    ([term, value]) =>
      html`<dt class="note">${term}</dt>
        <dd>${value}</dd>`,
  );
  const title = refused === null ? 'The test sign-in worked' : 'The provider answered, but this account would be refused';
  return sendPage(
    reply,
    200,
    title,
    html`${refused !== null && html`<p class="problem" role="alert">${refused}.</p>`}
      <p class="note">Nobody was signed in.</p>
      <dl>${list}</dl>`,
  );
}
