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

export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

const isEnabled = (row: SsoSettingsRow, kind: SsoKind): boolean => row[kind]?.enabled === true;

/**
 * The settings of the tenant to sign in to: the one that is named; else the best tenant of the address's owner that has an enabled provider;
 * else the tenant that alone allows the domain of the address, unless the owner belongs to another organization; and where nothing is said, the only tenant that has an enabled provider. Null is
 * the same for an address that nobody has and for one whose tenants have no provider of the kind; that somebody signs in through a provider can
 * be seen from the way there.
 */
export async function findTenantSettings(
  parts: Pick<AuthParts, 'database'>,
  kind: SsoKind,
  { tenant_id, email }: TenantHint,
): Promise<SsoSettingsRow | null> {
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
  const user = await database.system(users).findOne({ email: address });
  const homes = await homesOf(parts, user);
  const rows = await database.system(ssoSettings).find({ _id: { $in: homes.map(({ tenant }) => tenant.tenant_id) } });
  const byTenant = new Map(rows.map((row) => [row.tenant_id, row]));
  for (const { tenant } of homes) {
    const row = byTenant.get(tenant.tenant_id);
    if (row && isEnabled(row, kind)) return row;
  }
  // Nobody proves that a domain is theirs: where two tenants name it, neither gets its strangers.
  const named = await database.system(ssoSettings).find({ 'oauth.allowed_domains': domainOf(address) }, { limit: 20 });
  const open = named.filter((row) => isEnabled(row, kind));
  const [row] = open;
  if (!row || open.length > 1) return null;
  if (user === null) return row;
  // Who has an account of another organization could not sign in there: that provider must not even ask for a password.
  const tenant = await database.tenant(row.tenant_id).collection(tenants).findOne({});
  return tenant?.organization_id === user.organization_id ? row : null;
}
