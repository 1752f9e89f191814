import type { FastifyReply } from 'fastify';
import type { Role } from '../../../schema/permissions.js';
import { escapeHtml, sendPage } from '../../pages/page.js';
import type { SsoAssertion } from '../sso/assertion.js';

const SHOWN_GROUPS = 50;

/** Shows an administrator what a test sign-in has found. @param role that a sign-in would have; null where it would be refused */
export function sendTestResult(reply: FastifyReply, { email, name, groups, second_factor }: SsoAssertion, role: Role | null): FastifyReply {
  const rows = [
    ['E-mail address', email],
    ['Name', name || 'not sent'],
    ['Groups', groups.length ? groups.slice(0, SHOWN_GROUPS).join(', ') : 'none sent'],
    ['Second factor', second_factor ? 'shown at the provider' : 'not confirmed by the provider'],
    ['Role', role ?? 'none: this account could not sign in'],
  ] as const;
  return sendPage(
    reply,
    200,
    role === null ? 'The test found no access' : 'The test sign-in works',
    `<p class="note">Nobody was signed in. This is what your identity provider says:</p>
<dl>${rows.map(([term, text]) => `<dt><strong>${term}</strong></dt><dd><output>${escapeHtml(text)}</output></dd>`).join('')}</dl>`,
  );
}
