import type { Config } from '../../kit/base/config.js';
import type { Database } from '../../kit/store/database.js';
import type { TransactionOf } from '../../kit/store/query.js';
import { organizations } from '../records.js';
import { readDomain } from './name.js';
import { domainClaims, domainHolders, GRACE, type DomainHolderRow } from './records.js';

/** What is asked to find out who holds a domain. */
export interface HolderSource {
  readonly database: Database;
  readonly config: Pick<Partial<Config>, 'VERIFIED_DOMAINS'>;
}

/** Who holds a domain. A domain of the operator's configuration has no row, no checks and no end. */
export type Holder = { readonly source: 'configuration'; readonly organization_id: string } | DomainHolderRow;

/**
 * The organization that holds a domain, by the operator's configuration before anything else; null for a domain that nobody has proved. What
 * it may do with it now is for `isVerified` to say.
 */
export async function findHolder(source: HolderSource, domain: string, transaction?: TransactionOf): Promise<Holder | null> {
  return (
    (await findConfigured(source, domain, transaction)) ??
    (await source.database.system(domainHolders).findOne({ _id: domain }, { transaction })) ??
    (await findFirstClaim(source, domain, transaction))
  );
}

/** An organization is named by id or name; a name that several have names none, and nobody has a public suffix or a mail provider's domain. */
async function findConfigured({ database, config }: HolderSource, domain: string, transaction?: TransactionOf): Promise<Holder | null> {
  const named = config.VERIFIED_DOMAINS?.find((entry) => entry.domain === domain)?.organization;
  if (named == null || 'problem' in readDomain(domain)) return null;
  const rows = database.system(organizations);
  const byId = await rows.findOne({ _id: named }, { fields: ['_id'], transaction });
  const found = byId ? [byId] : await rows.find({ name: named }, { fields: ['_id'], limit: 2, transaction });
  return found.length === 1 ? { source: 'configuration', organization_id: found[0]!._id } : null;
}

/** The organization that claimed a domain first which the operator answers for without saying whose it is. */
async function findFirstClaim({ database, config }: HolderSource, domain: string, transaction?: TransactionOf): Promise<Holder | null> {
  const isNamed = config.VERIFIED_DOMAINS?.some((entry) => entry.domain === domain && entry.organization === null);
  if (!isNamed || 'problem' in readDomain(domain)) return null;
  const [first] = await database
    .system(domainClaims)
    .find({ domain }, { fields: ['organization_id'], sort: { created_at: 1, _id: 1 }, limit: 1, transaction });
  return first ? { source: 'configuration', organization_id: first.organization_id } : null;
}

/** The configured domains of an organization. */
export async function configuredDomains(source: HolderSource, organizationId: string): Promise<string[]> {
  const entries = source.config.VERIFIED_DOMAINS ?? [];
  const holders = await Promise.all(entries.map(({ domain }) => findHolder(source, domain)));
  return entries.filter((_, index) => holders[index]?.organization_id === organizationId).map(({ domain }) => domain);
}

/** When a holding stops to let people in, if nothing changes; null while nothing ends it. */
export function lapsesAt({ ends_at, failing_since }: Pick<DomainHolderRow, 'ends_at' | 'failing_since'>): Date | null {
  return ends_at ?? (failing_since && new Date(failing_since.getTime() + GRACE));
}

/** Whether accounts are made, people are led and domains are allowed on the strength of a holding. */
export function isVerified(holder: Holder, now: Date): boolean {
  if (holder.source === 'configuration') return true;
  const ends = lapsesAt(holder);
  return ends === null || now < ends;
}
