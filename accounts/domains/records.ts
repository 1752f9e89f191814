import { defineSystemCollection, type RowOf } from '../../kit/store/collection.js';
import { date, nullable, number, oneOf, text } from '../../kit/store/fields.js';

/** Milliseconds: how often a proof is looked up, and for how long it may be missing before nobody is let in by it any more. */
const DAY = 86_400_000;
export const CHECK_EVERY = 7 * DAY;
/** A domain whose record is missing is looked up more often. */
export const CHECK_FAILING_EVERY = DAY;
export const GRACE = 14 * DAY;
/** A domain passes to another organization once the holder's own record has been missing this long. */
export const TRANSFER_AFTER = 3 * DAY;
/** How long an operator's word for a domain counts. */
export const VOUCHING = 90 * DAY;

/** An organization says that a domain is its own. It blocks nobody; `_id` is `<organization_id>|<domain>`. */
export const domainClaims = defineSystemCollection(
  'domain_claims',
  {
    organization_id: text,
    domain: text,
    /** The tenant in whose audit log the claim is noted. */
    tenant_id: text,
    /** What the TXT record must say: random, and of this claim alone. */
    value: text,
    created_by: text,
    created_at: date,
    /** When the record was last looked up. */
    checked_at: nullable(date),
    /** Since when the record is there although another organization holds the domain; null while it is not. */
    proved_at: nullable(date),
    /** Why the last look-up proved nothing; null when it did. */
    problem: nullable(text),
  },
  [{ key: { organization_id: 1, domain: 1 } }, { key: { domain: 1 } }, { key: { proved_at: 1 } }],
);
export type DomainClaimRow = RowOf<typeof domainClaims>;

/** The organization that has proved a domain: one at a time; `_id` is the domain. */
export const domainHolders = defineSystemCollection(
  'domain_holders',
  {
    organization_id: text,
    tenant_id: text,
    /** Who says so: the domain's own record, or the operator, until `ends_at`. */
    source: oneOf('dns', 'operator'),
    verified_at: date,
    /** When an operator's word ends; null for a record. */
    ends_at: nullable(date),
    checked_at: nullable(date),
    /** Since when the record could not be seen, whatever the reason. */
    failing_since: nullable(date),
    /** Since when the domain's name servers say that the record is not there. */
    absent_since: nullable(date),
    /** What the org_admins were last mailed of; null while all is well. */
    notified: nullable(oneOf('failing', 'lapsed')),
    /** Grows with every account that is made on the domain's strength: what ends the holding meets that at this number. */
    accounts_made: number,
  },
  [{ key: { organization_id: 1 } }, { key: { checked_at: 1 } }],
);
export type DomainHolderRow = RowOf<typeof domainHolders>;

export const claimId = (organizationId: string, domain: string): string => `${organizationId}|${domain}`;
