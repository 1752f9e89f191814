import { FAILURES } from '../brute-force.js';
import { z } from 'zod';
import { gone } from '../../kit/base/errors.js';
import { queueMail } from '../../kit/work/mail.js';
import { ownAccount, users, type UserRow } from '../../accounts/records.js';
import { homesOf, openWithoutSso, type Home } from '../homes.js';
import type { AuthParts, Client } from '../parts.js';
import { newPassword } from './new-password.js';
import { mailContext, replacePassword } from './replace.js';
import { passwordVersion } from './version.js';

/** Milliseconds that a link lives. */
export const RESET_LIFE = 3_600_000;

export const forgotBody = z
  .strictObject({ email: z.string().trim().toLowerCase().min(1).max(254).describe('E-mail address.') })
  .describe('Asks for a link.');
export const resetBody = z
  .strictObject({ token: z.string().min(1).max(8_192).describe('The token of the link.'), password: newPassword })
  .describe('Sets a new password.');

/** A user with a password, and a tenant that takes it. */
interface Resettable {
  readonly user: UserRow & { password_hash: string };
  readonly home: Home;
}

/** Accounts that are disabled, have no password, or may use it nowhere because of single sign-on, have nothing to reset. */
async function findResettable(parts: AuthParts, by: { _id: string } | ReturnType<typeof ownAccount>): Promise<Resettable | null> {
  const user = await parts.database.system(users).findOne(by);
  const [home] = openWithoutSso(await homesOf(parts, user), user);
  if (user?.state !== 'active' || user.password_hash === null || !home) return null;
  return { user: { ...user, password_hash: user.password_hash }, home };
}

/**
 * Sends a link that resets the password, to an address that has one to reset. Nobody is told whether it has: not by the answer, and not by
 * its time, because the work goes on after it.
 * @throws PalisadeError RATE_LIMITED
 */
export async function forgotPassword(parts: AuthParts, client: Client, { email }: z.infer<typeof forgotBody>): Promise<void> {
  const mails = { kind: 'reset', id: email, limit: FAILURES.reset, refusal: 'Too many mails were asked for' };
  const attempt = await parts.bruteForce.begin(client.ip_address, mails);
  await attempt.settle(false);
  void sendLink(parts, email).catch((error: unknown) => parts.logger.error({ err: error }, 'a mail that resets a password was not queued'));
}

async function sendLink(parts: AuthParts, email: string): Promise<void> {
  const found = parts.mailer.configured ? await findResettable(parts, ownAccount(email)) : null;
  if (!found) return;
  const ends = new Date(parts.clock.now().getTime() + RESET_LIFE);
  // a link is for the password that it replaces: it dies when that one is gone, by this link or otherwise
  const claims = { subject: found.user._id, tenant_id: null, version: passwordVersion(found.user) };
  const token = await parts.links.issue('password-reset', claims, ends);
  const mail = {
    to: found.user.email,
    subject: 'Reset your Palisade password',
    text: `Somebody, hopefully you, asked to reset the password of your Palisade account. To choose a new one, open this link:

${parts.linkOrigin}/auth/password/reset?token=${token}

It works once, for one hour. If you did not ask, leave it: your password stays.
`,
  };
  await parts.database.transaction((transaction) => queueMail(parts, transaction, mailContext(found.home.tenant), mail));
  parts.jobs.wake();
}

const linkGone = () => gone('This link was used, or its hour is over; ask for a new one');

/**
 * The account behind a link; it changes nothing.
 * @throws PalisadeError GONE when the link was used, is older than an hour, or when the password has changed since; VALIDATION_ERROR for a
 *   token that was never ours
 */
export async function findReset(parts: AuthParts, token: string): Promise<UserRow> {
  const { subject, version, expired } = await parts.links.read('password-reset', token);
  const found = expired ? null : await findResettable(parts, { _id: subject });
  if (!found || passwordVersion(found.user) !== version) throw linkGone();
  return found.user;
}

/**
 * Sets a new password and ends all sessions of the user. It signs nobody in: whoever comes next shows the password and the second factor.
 * @throws PalisadeError as `findReset` does; VALIDATION_ERROR when the password breaks the rules
 */
export async function resetPassword(parts: AuthParts, client: Client, { token, password }: z.infer<typeof resetBody>): Promise<void> {
  const user = await findReset(parts, token);
  const done = await replacePassword(parts, client, user, { action: 'user.password_reset', password }, async (transaction) => {
    await parts.sessions.endAll(user._id, transaction);
    return true;
  });
  if (!done) throw linkGone();
}
