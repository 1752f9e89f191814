import type { Database } from '../../kit/store/database.js';
import { systemClock } from '../../kit/base/clock.js';
import { claimId, domainClaims, domainHolders, type DomainHolderRow } from '../../accounts/domains/records.js';
import { identityId } from '../../sign-in/sso/provision.js';
import { ssoIdentities } from '../../accounts/providers/records.js';
import type { TenantRow, UserRow } from '../../accounts/records.js';
import type { Client, TestTenant } from './world.js';

/** Makes an organization the holder of a domain, as if its record had been seen. */
export async function verified(
  { database }: { database: Database },
  { organization_id, tenant_id }: Pick<TenantRow, 'organization_id' | 'tenant_id'>,
  domain: string,
  changes: Partial<DomainHolderRow> = {},
): Promise<void> {
  const now = systemClock.now();
  const values = {
    organization_id,
    tenant_id,
    source: 'dns' as const,
    verified_at: now,
    ends_at: null,
    checked_at: now,
    failing_since: null,
    absent_since: null,
    notified: null,
    accounts_made: 0,
    ...changes,
  };
  await database.system(domainHolders).update({ _id: domain }, { $set: values }, { upsert: true });
}

/** What the domain endpoints answer. */
export interface ShownDomain {
  domain: string;
  state: string;
  source: string | null;
  record: { type: string; name: string; value: string } | null;
  problem: string | null;
  verified_at: string | null;
  checked_at: string | null;
  lapses_at: string | null;
  transfers_at: string | null;
}

export const claim = (client: Client, domain: string) => client.call<ShownDomain>('/api/v1/settings/domains', { body: { domain } });
export const verify = (client: Client, domain: string) =>
  client.call<ShownDomain>(`/api/v1/settings/domains/${domain}/verify`, { method: 'POST' });
export const giveUp = (client: Client, domain: string) => client.call(`/api/v1/settings/domains/${domain}`, { method: 'DELETE' });
export const domainsOf = async (client: Client) =>
  (await client.call<{ items: ShownDomain[]; total: number }>('/api/v1/settings/domains')).body;
export const stateOf = async (client: Client, domain: string) =>
  (await domainsOf(client)).items.find((shown) => shown.domain === domain)?.state;

export const claimRow = ({ database }: { database: Database }, { tenant }: TestTenant, domain: string) =>
  database.system(domainClaims).findOne({ _id: claimId(tenant.organization_id, domain) });
export const holderRow = ({ database }: { database: Database }, domain: string) => database.system(domainHolders).findOne({ _id: domain });

/** Joins a person's own account to a subject of a provider, as `POST /api/auth/link/finish` does. */
export async function link(
  { database }: { database: Database },
  tenantId: string,
  provider: string,
  subject: string,
  user: UserRow,
): Promise<void> {
  const row = { tenant_id: tenantId, provider, subject };
  await database
    .tenant(tenantId)
    .collection(ssoIdentities)
    .insert({ ...row, _id: identityId(row), user_id: user._id, created_at: systemClock.now() });
}
