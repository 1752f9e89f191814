import { PROVIDERS } from '../schema/model.js';
import { PLANS } from '../kit/base/auth-context.js';
import type { EngineServices } from '../kit/engine/context.js';
import { conflict } from '../kit/base/errors.js';
import { parseInvite } from '../subgraphs/identity/invites/service.js';
import { organizations, type OrganizationRow } from '../accounts/records.js';
import { createOrganization, createTenant } from '../accounts/seed.js';
import { command, text, UsageError } from './command-line.js';
import { asOperator, inviteAsSystem } from './operator.js';

const USAGE = `palisade tenant create --organization NAME --name NAME --admin EMAIL [--plan starter|growth|enterprise] [--default-provider P] [--data DIR]
Makes a tenant, and its organization where there is none of that name or id yet, and prints the link that makes EMAIL its first org_admin.`;

const OPTIONS = {
  organization: text,
  name: text,
  admin: text,
  plan: { type: 'string', default: 'starter' },
  'default-provider': { type: 'string', default: 'aws' },
  data: text,
} as const;

/** The command `palisade tenant`. */
export const run = command(USAGE, OPTIONS, async ({ organization, name, admin, plan: asked, data, ...values }, positionals) => {
  const default_provider = PROVIDERS.find((known) => known === values['default-provider']);
  const plan = PLANS.find((known) => known === asked);
  if (positionals.join(' ') !== 'create') throw new UsageError('say create');
  if (!organization || !name || !admin) throw new UsageError('name an --organization, a --name and an --admin');
  if (!plan) throw new UsageError(`--plan is one of ${PLANS.join(', ')}`);
  if (!default_provider) throw new UsageError(`--default-provider is one of ${PROVIDERS.join(', ')}`);
  return asOperator('palisade tenant', data, async (services) => {
    const invite = parseInvite({ email: admin, role: 'org_admin' });
    const { _id: organization_id } = await getOrganization(services, organization);
    const tenant = await createTenant(services, { organization_id, name, plan, settings: { default_provider } });
    return inviteAsSystem(services, tenant, invite);
  });
});

/** @throws PalisadeError CONFLICT when several organizations have the name */
async function getOrganization(services: EngineServices, asked: string): Promise<OrganizationRow> {
  const known = await services.database.system(organizations).find({ $or: [{ _id: asked }, { name: asked }] });
  if (known.length > 1) throw conflict(`Several organizations are called ${asked}: give the id of one`);
  return known[0] ?? createOrganization(services, { name: asked });
}
