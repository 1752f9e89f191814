import type { Clock } from '../../../kit/base/clock.js';
import type { Database } from '../../../kit/store/database.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { secondSteps } from '../../../accounts/factors/records.js';
import { tenants, users } from '../../../accounts/records.js';
import { sessions } from '../../../accounts/session-record.js';
import { domainOf } from '../../../accounts/domains/name.js';

/**
 * Ends what stands on a domain that an organization no longer has: sessions and sign-ins under way of the accounts that providers of its
 * tenants have made for addresses of it. They come in again when the organization has proved it anew.
 */
export async function endSignIns(
  { database, clock }: { database: Database; clock: Clock },
  transaction: TransactionOf,
  organizationId: string,
  domain: string,
): Promise<void> {
  const own = await database.system(tenants).find({ organization_id: organizationId }, { fields: ['tenant_id'], transaction });
  const ids = own.map(({ tenant_id }) => tenant_id);
  const people = await database.system(users).find({ sso_tenant_id: { $in: ids } }, { fields: ['email', 'sso_basis'], transaction });
  const theirs = people.filter(({ email, sso_basis }) => domainOf(email) === domain && sso_basis !== 'invitation').map(({ _id }) => _id);
  if (theirs.length === 0) return;
  // accounts of the time before domains were verified stand on it, too, once it has been
  await database
    .system(users)
    .updateMany({ _id: { $in: theirs } }, { $set: { sso_basis: 'domain', sso_ended_at: clock.now() } }, { transaction });
  await database.system(sessions).remove({ user_id: { $in: theirs } }, { transaction });
  await database.system(secondSteps).remove({ user_id: { $in: theirs } }, { transaction });
}
