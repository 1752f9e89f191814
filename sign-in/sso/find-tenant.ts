import { findHolder, isVerified } from '../../accounts/domains/holders.js';
import { domainOf } from '../../accounts/domains/name.js';
import { tenants, users } from '../../accounts/records.js';
import { ssoSettings, type SsoKind, type SsoSettingsRow } from '../../accounts/providers/records.js';
import { homesOf } from '../homes.js';
import type { AuthParts } from '../parts.js';

/** What somebody says of the tenant that they want to sign in to. */
export interface TenantHint {
  readonly tenant_id?: string;
  /** As typed. */
  readonly email?: string;
}

type Parts = Pick<AuthParts, 'database' | 'config' | 'clock'>;

const isEnabled = (row: SsoSettingsRow, kind: SsoKind): boolean => row[kind]?.enabled === true;

/**
 * The settings of the tenant to sign in to: the one that is named; else one of the organization that has verified the domain of the address;
 * else, for who has signed in through a provider since before domains were verified, that one; and where nothing is stated, the only tenant
 * that has an enabled provider. Null is the same for an address that nobody has and for one whose domain nobody has verified.
 */
export async function findTenantSettings(parts: Parts, kind: SsoKind, { tenant_id, email }: TenantHint): Promise<SsoSettingsRow | null> {
  const { database } = parts;
  if (tenant_id === undefined && email === undefined) {
    const enabled = await database.system(ssoSettings).find({ [`${kind}.enabled`]: true }, { limit: 2 });
    return enabled.length === 1 ? enabled[0]! : null;
  }
  if (tenant_id) {
    const row = await database.tenant(tenant_id).collection(ssoSettings).findOne({});
    return row && isEnabled(row, kind) ? row : null;
  }
  const address = email?.trim().toLowerCase() ?? '';
  if (!/^[^@\s]+@[^@\s]+$/.test(address) || address.length > 254) return null;
  const holder = await findHolder(parts, domainOf(address));
  return holder && isVerified(holder, parts.clock.now())
    ? findOfOrganization(parts, kind, holder.organization_id, address)
    : findOfEarlierAccount(parts, kind, address);
}

/**
 * The tenant of an organization for an address of its domain: the only one that has a provider and allows the domain; of several, the best that
 * the address has an account in, else the only one that names the domain.
 */
async function findOfOrganization(parts: Parts, kind: SsoKind, organizationId: string, address: string): Promise<SsoSettingsRow | null> {
  const { database } = parts;
  const own = await database.system(tenants).find({ organization_id: organizationId }, { fields: ['tenant_id'] });
  const ids = own.map(({ tenant_id }) => tenant_id);
  const rows = await database.system(ssoSettings).find({ _id: { $in: ids }, [`${kind}.enabled`]: true });
  const domain = domainOf(address);
  const names = ({ oauth }: SsoSettingsRow) => kind === 'oauth' && oauth!.allowed_domains.includes(domain);
  const open = rows.filter((row) => kind === 'saml' || row.oauth!.allowed_domains.length === 0 || names(row));
  if (open.length <= 1) return open[0] ?? null;
  for (const { tenant } of await homesOfAddress(parts, { email: address })) {
    const row = open.find(({ tenant_id }) => tenant_id === tenant.tenant_id);
    if (row) return row;
  }
  const naming = open.filter(names);
  return naming.length === 1 ? naming[0]! : null;
}

/** Whoever has signed in through a provider since before domains were verified goes on to find it by the address alone. */
async function findOfEarlierAccount(parts: Parts, kind: SsoKind, address: string): Promise<SsoSettingsRow | null> {
  for (const { tenant } of await homesOfAddress(parts, { email: address, sso_basis: 'earlier' })) {
    const row = await parts.database.tenant(tenant.tenant_id).collection(ssoSettings).findOne({});
    if (row && isEnabled(row, kind)) return row;
  }
  return null;
}

async function homesOfAddress(parts: Parts, accounts: Record<string, unknown>) {
  const people = await parts.database.system(users).find(accounts, { sort: { created_at: 1 }, limit: 20 });
  return (await Promise.all(people.map((user) => homesOf(parts, user)))).flat();
}
