import { getAuditLog } from '../kit/engine/create-context.js';
import { SYSTEM_ACTOR } from '../kit/base/auth-context.js';
import { conflict, notFound } from '../kit/base/errors.js';
import { setFactor } from '../accounts/factors/factors.js';
import { memberships, ownAccount, users } from '../accounts/records.js';
import { command, text, UsageError } from './command-line.js';
import { asOperator } from './operator.js';

const USAGE = `palisade mfa reset --email EMAIL [--data DIR]
Takes away the second factor of somebody who has lost it, with the recovery codes, and ends their sessions. Where role or policy ask for one,
the next sign-in sets it up anew. Make sure that it is they who ask.`;

/** The command `palisade mfa`. */
export const run = command(USAGE, { email: text, data: text }, async ({ email, data }, positionals) => {
  if (positionals.join(' ') !== 'reset' || !email) throw new UsageError('say reset, and name an --email');
  return asOperator('palisade mfa', data, async (services) => {
    const { database, clock } = services;
    const user = await database.system(users).findOne(ownAccount(email.trim().toLowerCase()));
    if (!user) throw notFound('User');
    const places = await database.system(memberships).find({ user_id: user._id });
    await database.transaction(async (transaction) => {
      if ((await setFactor(services, transaction, user, { mfa: 'none' }, null)) === null)
        throw conflict('It has changed this very moment: look again');
      const entry = {
        action: 'mfa.change',
        actor_email: SYSTEM_ACTOR,
        target: `user:${user._id}`,
        target_email: user.email,
        result: 'success',
      } as const;
      const detail = { from: user.mfa, to: 'none', by: 'palisade mfa reset' };
      for (const { tenant_id } of places) await getAuditLog(services).append(transaction, tenant_id, clock.now(), [{ ...entry, detail }]);
    });
    return `${user.email} has no second factor any more, and was signed out everywhere`;
  });
});
