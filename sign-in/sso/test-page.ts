import type { FastifyReply } from 'fastify';
import type { Role } from '../../schema/permissions.js';
import { html } from '../../http/html.js';
import { sendPage } from '../../http/page.js';
import type { SsoAssertion } from './assertion.js';

/** What a test sign-in came to: what the provider says and the role that it would give, or why it was refused. */
export type TestResult = { assertion: SsoAssertion; role: Role | null } | { refused: string };

/** The page at the end of a test sign-in; no session comes of it. */
export function sendTestResult(reply: FastifyReply, result: TestResult): FastifyReply {
  if ('refused' in result)
    return sendPage(reply, 200, 'The test sign-in was refused', html`<p class="problem" role="alert">${result.refused}.</p>`);
  const { assertion, role } = result;
  const rows: [string, string][] = [
    ['E-mail address', assertion.email],
    ['Name', assertion.name || 'none'],
    ['Groups', assertion.groups.slice(0, 50).join(', ') || 'none'],
    ['Role', role ?? 'none: this account would be blocked'],
    ['Second factor at the provider', assertion.second_factor ? 'yes' : 'not stated'],
  ];
  const list = rows.map(
    ([term, value]) =>
      html`<dt class="note">${term}</dt>
        <dd>${value}</dd>`,
  );
  const title = role === null ? 'The test sign-in worked, but gives no role' : 'The test sign-in worked';
  return sendPage(
    reply,
    200,
    title,
    html`<p class="note">Nobody was signed in.</p>
      <dl>${list}</dl>`,
  );
}
