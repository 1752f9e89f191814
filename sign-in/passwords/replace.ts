import { systemAuthContext } from '../../kit/base/auth-context.js';
import { queueMail } from '../../kit/work/mail.js';
import type { TransactionOf } from '../../kit/store/query.js';
import { secondSteps } from '../../accounts/factors/records.js';
import { users, type TenantRow, type UserRow } from '../../accounts/records.js';
import { homesOf } from '../homes.js';
import type { AuthParts, Client } from '../parts.js';
import { hashPassword } from '../password.js';
import { assertGoodPassword } from './rules.js';

/** A mail of the platform to a user, in the name of one of the tenants: jobs belong to tenants. */
export const mailContext = ({ tenant_id, organization_id, plan }: TenantRow) =>
  systemAuthContext({ tenant_id, organization_id, plan }, 'viewer', []);

/**
 * Puts a new password in the place of the one that `user` was read with, and runs `work` in the same transaction. Every tenant of the user
 * finds it in its audit log, and the user hears of it by mail, because it might have been somebody else.
 * @returns what `work` gives, or null when the password has changed meanwhile
 * @throws PalisadeError VALIDATION_ERROR when the new password breaks the rules
 */
export async function replacePassword<R>(
  parts: AuthParts,
  client: Client,
  user: UserRow,
  change: { action: 'user.password_change' | 'user.password_reset'; password: string },
  work: (transaction: TransactionOf) => Promise<R>,
): Promise<R | null> {
  assertGoodPassword(change.password, user.email);
  const password_hash = await hashPassword(change.password);
  const homes = await homesOf(parts, user);
  const result = await parts.database.transaction(async (transaction) => {
    const unchanged = { _id: user._id, password_hash: user.password_hash, state: 'active' };
    const { matched } = await parts.database.system(users).update(unchanged, { $set: { password_hash } }, { transaction });
    if (matched === 0) return null;
    // a sign-in under way was begun with the old password
    await parts.database.system(secondSteps).remove({ user_id: user._id }, { transaction });
    const done = await work(transaction);
    const entry = {
      action: change.action,
      actor_email: user.email,
      target: `user:${user._id}`,
      ip_address: client.ip_address,
      result: 'success',
    } as const;
    for (const { tenant } of homes) await parts.audit.append(transaction, tenant.tenant_id, parts.clock.now(), [entry]);
    if (parts.mailer.configured && homes[0]) await queueMail(parts, transaction, mailContext(homes[0].tenant), noticeFor(user, client));
    return done;
  });
  parts.jobs.wake();
  return result;
}

const noticeFor = (user: UserRow, client: Client) => ({
  to: user.email,
  subject: 'Your Palisade password was changed',
  text: `The password of your Palisade account was changed from the address ${client.ip_address}. If that was not you, tell an administrator at once.\n`,
});
