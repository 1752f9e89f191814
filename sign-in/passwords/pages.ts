import { html } from '../../http/html.js';
import type { Page } from '../../http/page.js';
import type { AuthParts } from '../parts.js';
import { findReset } from './reset.js';
import { PASSWORD_LENGTH } from './rules.js';

/** The form that asks for a link by mail. */
export const forgotPage = (): Page => [
  'Reset your password',
  html`<p class="note">You get a link by mail.</p>
    <form method="post" action="/auth/password/forgot">
      <label>E-mail address <input type="email" name="email" autocomplete="username" required autofocus></label>
      <button>Send the link</button>
    </form>`,
];

export const SENT_PAGE: Page = [
  'Look into your mail',
  html`<p>If the address belongs to an account that signs in with a password, a link is on its way. It works for one hour.</p>`,
];

/**
 * The form that takes the new password.
 * @param problem what was wrong with the last try
 * @throws PalisadeError as `findReset` does
 */
export async function resetPage(parts: AuthParts, token: string, problem?: string): Promise<Page> {
  const { email } = await findReset(parts, token);
  return [
    'Choose a new password',
    html`${problem !== undefined && html`<p class="problem" role="alert">${problem}.</p>`}
      <form method="post" action="/auth/password/reset">
        <input type="hidden" name="token" value="${token}">
        <label>E-mail address <input type="email" value="${email}" autocomplete="username" readonly></label>
        <label>New password <input type="password" name="password" autocomplete="new-password" minlength="${PASSWORD_LENGTH.least}" required autofocus></label>
        <p class="note">At least ${PASSWORD_LENGTH.least} characters. You will be signed out everywhere.</p>
        <button>Change the password</button>
      </form>`,
  ];
}

export const CHANGED_PAGE: Page = [
  'Your password is changed',
  html`<p>You are signed out everywhere.</p>
    <p><a href="/auth/login">Sign in with the new password</a></p>`,
];
