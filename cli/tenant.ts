import { PROVIDERS } from '../schema/model.js';
import { eraseAddresses } from '../kit/audit/erase.js';
import { joinStore } from '../processes/store.js';
import { PLANS } from '../kit/base/auth-context.js';
import type { EngineServices } from '../kit/engine/context.js';
import { getAuditLog } from '../kit/engine/create-context.js';
import { conflict, notFound } from '../kit/base/errors.js';
import { parseInvite } from '../subgraphs/identity/invites/service.js';
import { organizations, tenants, type OrganizationRow } from '../accounts/records.js';
import { createOrganization, createTenant } from '../accounts/seed.js';
import { takeBack } from '../subgraphs/identity/tenant-end/service.js';
import { command, text, UsageError } from './command-line.js';
import { asOperator, inviteAsSystem } from './operator.js';

const USAGE = `palisade tenant create --organization NAME --name NAME --admin EMAIL [--plan starter|growth|enterprise] [--default-provider P] [--data DIR]
Makes a tenant, and its organization where there is none of that name or id yet, and prints the link that makes EMAIL its first org_admin.

palisade tenant restore --tenant T [--data DIR]
Takes a tenant back that was ended, before its 30 days are over: where no org_admin is left who could.

palisade tenant erase --tenant T [--data DIR]
Replaces the addresses of people in the audit log of a tenant that was removed by digests. The log goes on holding.`;

const OPTIONS = {
  organization: text,
  name: text,
  admin: text,
  plan: { type: 'string', default: 'starter' },
  'default-provider': { type: 'string', default: 'aws' },
  tenant: text,
  data: text,
} as const;

/** The command `palisade tenant`. */
export const run = command(USAGE, OPTIONS, async ({ organization, name, admin, plan: asked, tenant: id, data, ...values }, positionals) => {
  const default_provider = PROVIDERS.find((known) => known === values['default-provider']);
  const plan = PLANS.find((known) => known === asked);
  const what = positionals.join(' ');
  if (what === 'restore' || what === 'erase') {
    if (!id) throw new UsageError('name a --tenant');
    return asOperator('palisade tenant', data, (services) => (what === 'erase' ? erase : restore)(services, id));
  }
  if (what !== 'create') throw new UsageError('say create, restore or erase');
  if (!organization || !name || !admin) throw new UsageError('name an --organization, a --name and an --admin');
  if (!plan) throw new UsageError(`--plan is one of ${PLANS.join(', ')}`);
  if (!default_provider) throw new UsageError(`--default-provider is one of ${PROVIDERS.join(', ')}`);
  const create = async (services: EngineServices) => {
    const invite = parseInvite({ email: admin, role: 'org_admin' });
    const { _id: organization_id } = await getOrganization(services, organization);
    const tenant = await createTenant(services, { organization_id, name, plan, settings: { default_provider } });
    return inviteAsSystem(services, tenant, invite);
  };
  return asOperator('palisade tenant', data, create, joinStore);
});

/** @throws PalisadeError CONFLICT when several organizations have the name */
async function getOrganization(services: EngineServices, asked: string): Promise<OrganizationRow> {
  const known = await services.database.system(organizations).find({ $or: [{ _id: asked }, { name: asked }] });
  if (known.length > 1) throw conflict(`Several organizations are called ${asked}: give the id of one`);
  return known[0] ?? createOrganization(services, { name: asked });
}

const find = ({ database }: EngineServices, id: string) => database.tenant(id).collection(tenants).findOne({});

async function restore(services: EngineServices, id: string): Promise<string> {
  const tenant = await find(services, id);
  if (!tenant) throw notFound('Tenant');
  const { name } = await takeBack(services, tenant, null);
  return `${name} (${id}) is in use again; people sign in anew`;
}

/** @throws PalisadeError CONFLICT for a tenant that was not removed: its log is in use */
async function erase(services: EngineServices, id: string): Promise<string> {
  const tenant = await find(services, id);
  const when = tenant?.ends_at ? `it is removed on ${tenant.ends_at.toISOString()}` : 'it was not ended';
  if (tenant) throw conflict(`Only the log of a tenant that was removed is erased: ${when}`);
  const erased = await eraseAddresses(services, getAuditLog(services), id);
  return `Addresses are erased in ${erased} entries of ${id}`;
}
