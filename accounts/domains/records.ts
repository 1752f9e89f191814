import { defineSystemCollection } from '../../kit/store/collection.js';

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
export interface DomainClaimRow {
  _id: string;
  organization_id: string;
  domain: string;
  /** The tenant in whose audit log the claim is told of. */
  tenant_id: string;
  /** What the TXT record must say: random, and of this claim alone. */
  value: string;
  created_by: string;
  created_at: Date;
  /** When the record was last looked up. */
  checked_at: Date | null;
  /** Since when the record is there although another organization holds the domain; null while it is not. */
  proved_at: Date | null;
  /** Why the last look-up proved nothing; null when it did. */
  problem: string | null;
}

/** The organization that has proved a domain: one at a time; `_id` is the domain. */
export interface DomainHolderRow {
  _id: string;
  organization_id: string;
  tenant_id: string;
  /** Who says so: the domain's own record, or the operator, until `ends_at`. */
  source: 'dns' | 'operator';
  verified_at: Date;
  /** When an operator's word ends; null for a record. */
  ends_at: Date | null;
  checked_at: Date | null;
  /** Since when the record could not be seen, whatever the reason. */
  failing_since: Date | null;
  /** Since when the domain's name servers say that the record is not there. */
  absent_since: Date | null;
  /** What the org_admins were last mailed of; null while all is well. */
  told: 'failing' | 'lapsed' | null;
  /** Grows with every account that is made on the domain's strength: what ends the holding meets that at this number. */
  accounts_made: number;
}

export const domainClaims = defineSystemCollection<DomainClaimRow>(
  'domain_claims',
  {
    organization_id: { type: String, required: true },
    domain: { type: String, required: true },
    tenant_id: String,
    value: String,
    created_by: String,
    created_at: Date,
    checked_at: Date,
    proved_at: Date,
    problem: String,
  },
  [{ key: { organization_id: 1, domain: 1 } }, { key: { domain: 1 } }, { key: { proved_at: 1 } }],
);

export const domainHolders = defineSystemCollection<DomainHolderRow>(
  'domain_holders',
  {
    organization_id: { type: String, required: true },
    tenant_id: String,
    source: String,
    verified_at: Date,
    ends_at: Date,
    checked_at: Date,
    failing_since: Date,
    absent_since: Date,
    told: String,
    accounts_made: Number,
  },
  [{ key: { organization_id: 1 } }, { key: { checked_at: 1 } }],
);

export const claimId = (organizationId: string, domain: string): string => `${organizationId}|${domain}`;
