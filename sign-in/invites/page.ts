import type { FastifyRequest } from 'fastify';
import { ownAccount, users } from '../../accounts/records.js';
import { type Page } from '../../http/page.js';
import { html } from '../../http/html.js';
import { findSession } from '../authenticate.js';
import type { AuthParts } from '../parts.js';
import { PASSWORD_LENGTH } from '../passwords/rules.js';
import type { AcceptBody } from './accept.js';
import { findOpenInvite } from './open-invite.js';

const newAccount = (name: string) =>
  html`<label>Your name <input name="name" value="${name}" autocomplete="name" maxlength="100" required autofocus></label>
    <label>Choose a password <input type="password" name="password" autocomplete="new-password" minlength="${PASSWORD_LENGTH.least}" required></label>
    <p class="note">At least ${PASSWORD_LENGTH.least} characters; a few words that only you would put together are best.</p>`;

const KNOWN_ACCOUNT = html`<label>The password of your account <input type="password" name="password" autocomplete="current-password" required autofocus></label>
  <p class="note">You have an account already. If it has no password, sign in first and open the link again.</p>`;

/**
 * The form that accepts an invitation.
 * @param entered the link's token, and the name that was entered at the last try
 * @param problem what was wrong with that
 * @throws PalisadeError as `findOpenInvite` does
 */
export async function invitePage(
  parts: AuthParts,
  request: FastifyRequest,
  entered: Pick<AcceptBody, 'token' | 'name'>,
  problem?: string,
): Promise<Page> {
  const { token, name = '' } = entered;
  const { invite, tenant } = await findOpenInvite(parts, token);
  const known = await parts.database.system(users).findOne(ownAccount(invite.email));
  const session = await findSession(parts, request);
  const isSignedIn = known !== null && session?.user._id === known._id;
  return [
    `Join ${tenant.name}`,
    html`<p class="note">You are invited with the role <strong>${invite.role}</strong>.</p>
      ${problem !== undefined && html`<p class="problem" role="alert">${problem}.</p>`}
      <form method="post" action="/auth/invite">
        <input type="hidden" name="token" value="${token}">
        <label>E-mail address <input type="email" value="${invite.email}" autocomplete="username" readonly></label>
        ${!isSignedIn && (known ? KNOWN_ACCOUNT : newAccount(name))}
        <button>Accept the invitation</button>
      </form>`,
  ];
}
