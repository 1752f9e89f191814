import { ROLES } from '../schema/permissions.js';
import { notFound } from '../kit/base/errors.js';
import { tenants } from '../accounts/records.js';
import { command, text, UsageError } from './command-line.js';
import { asOperator, inviteAsSystem } from './operator.js';

const USAGE = `palisade invite --tenant T --email EMAIL --role R [--data DIR]
Invites somebody to a tenant and prints the link: for a tenant whose administrators cannot sign in any more. The audit log names the system.`;

/** The command `palisade invite`. */
export const run = command(
  USAGE,
  { tenant: text, email: text, role: text, data: text },
  async ({ tenant: id, email, role: asked, data }) => {
    const role = ROLES.find((known) => known === asked);
    if (!id || !email) throw new UsageError('name a --tenant and an --email');
    if (!role) throw new UsageError(`--role is one of ${ROLES.slice(1).join(', ')}`);
    return asOperator('palisade invite', data, async (services) => {
      const tenant = await services.database.tenant(id).collection(tenants).findOne({});
      if (!tenant) throw notFound('Tenant');
      return inviteAsSystem(services, tenant, { email, role });
    });
  },
);
