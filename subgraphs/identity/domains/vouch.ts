import type { EngineServices } from '../../../kit/engine/context.js';
import { repeatOnDuplicate } from '../../../kit/store/database.js';
import { conflict, invalid, notFound } from '../../../kit/base/errors.js';
import { organizations, tenants } from '../../../accounts/records.js';
import { isVerified } from '../../../accounts/domains/holders.js';
import { readDomain } from '../../../accounts/domains/name.js';
import { auditDomain } from './proofs.js';
import { domainHolders, VOUCHING, type DomainHolderRow } from '../../../accounts/domains/records.js';

/**
 * The operator answers for an organization's domain, for 90 days from now; again for as long when it is said again.
 * @param organization its id or name
 * @returns when it ends
 * @throws PalisadeError NOT_FOUND for an organization that is not there or has no tenant; CONFLICT when several have the name, and for a domain
 *   that another one holds; VALIDATION_ERROR for a domain that nobody can have alone
 */
export async function vouchForDomain(
  services: Pick<EngineServices, 'database' | 'masterKey' | 'clock'>,
  { domain: text, organization }: { domain: string; organization: string },
): Promise<DomainHolderRow> {
  const { database, clock } = services;
  const read = readDomain(text);
  if ('problem' in read) throw invalid([{ path: 'domain', message: read.problem }]);
  const { domain } = read;
  const found = await database.system(organizations).find({ $or: [{ _id: organization }, { name: organization }] }, { limit: 2 });
  if (found.length > 1) throw conflict(`Several organizations are called ${organization}: give the id of one`);
  const [tenant] = found[0]
    ? await database.system(tenants).find({ organization_id: found[0]._id }, { sort: { created_at: 1, _id: 1 }, limit: 1 })
    : [];
  if (!tenant) throw notFound('Organization');
  const { organization_id, tenant_id } = tenant;
  return database.transaction(async (transaction) => {
    const rows = database.system(domainHolders);
    const now = clock.now();
    const before = await rows.findOne({ _id: domain }, { transaction });
    if (before && before.organization_id !== organization_id)
      throw conflict('Another organization holds this domain: it gives it up first');
    if (before?.source === 'dns' && isVerified(before, now))
      throw conflict('The organization has proved this domain by its record already');
    const row: DomainHolderRow = {
      _id: domain,
      organization_id,
      tenant_id,
      source: 'operator',
      verified_at: now,
      ends_at: new Date(now.getTime() + VOUCHING),
      checked_at: null,
      failing_since: null,
      absent_since: null,
      notified: null,
      accounts_made: (before?.accounts_made ?? 0) + 1,
    };
    const { _id, ...values } = row;
    if (before) await rows.update({ _id }, { $set: values }, { transaction });
    else await rows.insert(row, { transaction }).catch(repeatOnDuplicate);
    await auditDomain(services, transaction, tenant_id, 'domain.vouch', domain, {}, { ends_at: row.ends_at!.toISOString() });
    return row;
  });
}
