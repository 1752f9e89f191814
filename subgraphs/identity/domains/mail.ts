import { systemAuthContext } from '../../../kit/base/auth-context.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { queueMail, type Mail } from '../../../kit/work/mail.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { memberships, tenants, users } from '../../../accounts/records.js';

/** Mails every org_admin of an organization once, within `transaction`; nobody where there is no mail server. */
export async function mailOrganization(
  services: Pick<EngineServices, 'database' | 'masterKey' | 'mailer' | 'jobs'>,
  transaction: TransactionOf,
  organizationId: string,
  mail: Omit<Mail, 'to'>,
): Promise<void> {
  const { database, mailer } = services;
  if (!mailer.configured) return;
  const own = await database.system(tenants).find({ organization_id: organizationId }, { sort: { created_at: 1 }, transaction });
  if (!own[0]) return;
  const filter = { tenant_id: { $in: own.map(({ tenant_id }) => tenant_id) }, role: 'org_admin' };
  const admins = await database.system(memberships).find(filter, { transaction });
  const active = { _id: { $in: admins.map(({ user_id }) => user_id) }, state: 'active' };
  const people = await database.system(users).find(active, { fields: ['email'], transaction });
  const auth = systemAuthContext(own[0], 'viewer', []);
  for (const to of new Set(people.map(({ email }) => email))) await queueMail(services, transaction, auth, { ...mail, to });
}
