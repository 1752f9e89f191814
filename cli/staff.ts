import { randomBytes } from 'node:crypto';
import { hashPassword } from '../sign-in/index.js';
import { joinStore } from '../processes/store.js';
import type { EngineServices } from '../kit/engine/context.js';
import { conflict } from '../kit/base/errors.js';
import { organizations, ownAccount, tenants, users, type TenantRow } from '../accounts/records.js';
import { addMembership, createOrganization, createTenant, createUser } from '../accounts/seed.js';
import { command, text, UsageError } from './command-line.js';
import { asOperator } from './operator.js';

const USAGE = `palisade staff add --email EMAIL [--name NAME] [--data DIR]
Makes a platform_admin of the operator's own support staff, in the operator's own tenant, and prints a password to sign in with once: the
sign-in goes on to set up a second factor, and POST /api/auth/password/change takes a password of their own.`;

/** The command `palisade staff`. */
export const run = command(USAGE, { email: text, name: text, data: text }, async ({ email, name, data }, positionals) => {
  if (positionals.join(' ') !== 'add' || !email?.includes('@')) throw new UsageError('say add, and name an --email');
  const add = async (services: EngineServices) => {
    const known = await services.database.system(users).findOne(ownAccount(email.trim().toLowerCase()));
    if (known) throw conflict('There is an account of this address already');
    const { tenant_id } = await operatorTenant(services);
    const password = randomBytes(15).toString('base64url');
    // of no organization: staff joins no tenant, and no identity provider signs it in
    const user = await createUser(services, { email, name: name ?? email.split('@')[0]!, password_hash: await hashPassword(password) });
    await addMembership(services, { tenant_id, user, role: 'platform_admin' });
    return `${user.email} is platform_admin in ${tenant_id}; the password is ${password}`;
  };
  return asOperator('palisade staff', data, add, joinStore);
});

/** The tenant where staff signs in; made with its organization when there is none. */
async function operatorTenant(services: EngineServices): Promise<TenantRow> {
  const { database } = services;
  const organization =
    (await database.system(organizations).findOne({ operator: true })) ??
    (await createOrganization(services, { name: 'Operator', operator: true }));
  const [known] = await database.system(tenants).find({ organization_id: organization._id }, { sort: { created_at: 1 }, limit: 1 });
  return known ?? createTenant(services, { organization_id: organization._id, name: 'Operator', plan: 'enterprise' });
}
