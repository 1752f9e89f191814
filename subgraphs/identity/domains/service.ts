import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { EngineContext } from '../../../kit/engine/context.js';
import { conflict, forbidden, invalid, notFound, violationsOf } from '../../../kit/base/errors.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import { configuredDomains, findHolder, isVerified, lapsesAt, type Holder } from '../../../accounts/domains/holders.js';
import { endSignIns } from './end-sign-ins.js';
import { readDomain } from '../../../accounts/domains/name.js';
import { applyAnswer, auditDomain, transfersAt, type Asker } from './proofs.js';
import { createRecordLookup, recordName } from './record-lookup.js';
import { claimId, domainClaims, domainHolders, type DomainClaimRow } from '../../../accounts/domains/records.js';

/** Domains that an organization may claim. */
const MOST = 200;

const inputSchema = z.strictObject({ domain: z.string().trim().min(1).max(260) });

const asker = ({ auth: { email, role, ip_address, tenant_id } }: EngineContext): Asker => ({
  actor_email: email,
  role,
  ip_address,
  tenant_id,
});

/** @throws PalisadeError FORBIDDEN: whose domain it is decides who signs in to every tenant of the organization */
function assertOrgAdmin({ auth }: EngineContext): void {
  if (auth.role !== 'org_admin') throw forbidden('Only an org_admin changes the domains of the organization');
}

/** A domain as it is shown: what the organization has said, and whether it counts. */
function present(context: EngineContext, domain: string, claim: DomainClaimRow | null, holder: Holder | null) {
  const now = context.services.clock.now();
  const own = holder?.organization_id === context.auth.organization_id ? holder : null;
  const row = own && own.source !== 'configuration' ? own : null;
  const waiting = own === null && claim?.proved_at != null;
  const state =
    own === null ? (waiting ? 'held' : 'pending') : !isVerified(own, now) ? 'lapsed' : row?.failing_since ? 'failing' : 'verified';
  return {
    domain,
    state,
    source: own?.source ?? null,
    record: claim && { type: 'TXT', name: recordName(domain), value: claim.value },
    problem: row?.failing_since ? (claim?.problem ?? 'The record could not be seen') : own ? null : (claim?.problem ?? null),
    verified_at: row?.verified_at ?? null,
    checked_at: row?.checked_at ?? claim?.checked_at ?? null,
    lapses_at: row && lapsesAt(row),
    transfers_at: waiting && holder ? transfersAt(holder) : null,
    created_by: claim?.created_by ?? null,
    created_at: claim?.created_at ?? row?.verified_at ?? null,
  };
}

/** The organization's domains by name: those that it claims, and those that the operator answers for. */
export async function listDomains(context: EngineContext, args: PageArguments) {
  const window = pageWindow(args);
  const { services, auth } = context;
  const { organization_id } = auth;
  const [claims, held, configured] = await Promise.all([
    services.database.system(domainClaims).find({ organization_id }),
    services.database.system(domainHolders).find({ organization_id }, { fields: ['_id'] }),
    configuredDomains(services, organization_id),
  ]);
  const byName = new Map(claims.map((claim) => [claim.domain, claim]));
  const names = [...new Set([...byName.keys(), ...held.map(({ _id }) => _id), ...configured])].sort();
  const shown = names.slice(window.skip, window.skip + window.limit);
  const holders = await Promise.all(shown.map((domain) => findHolder(services, domain)));
  const items = shown.map((domain, index) => present(context, domain, byName.get(domain) ?? null, holders[index]!));
  return toPage(items, names.length, window);
}

/**
 * Claims a domain, which blocks nobody else from doing so.
 * @throws PalisadeError FORBIDDEN for anybody but an org_admin; VALIDATION_ERROR for what no organization can have alone; CONFLICT for a domain
 *   that the organization claims already
 */
export async function claimDomain(context: EngineContext, input: unknown) {
  assertOrgAdmin(context);
  const parsed = inputSchema.safeParse(input);
  if (!parsed.success) throw invalid(violationsOf(parsed.error));
  const read = readDomain(parsed.data.domain);
  if ('problem' in read) throw invalid([{ path: 'domain', message: read.problem }]);
  const { domain } = read;
  const { auth, services } = context;
  const rows = services.database.system(domainClaims);
  const claim: DomainClaimRow = {
    _id: claimId(auth.organization_id, domain),
    organization_id: auth.organization_id,
    domain,
    tenant_id: auth.tenant_id,
    value: `palisade-domain-verification=${randomBytes(24).toString('base64url')}`,
    created_by: auth.email,
    created_at: services.clock.now(),
    checked_at: null,
    proved_at: null,
    problem: null,
  };
  await context
    .transaction(async (transaction) => {
      if ((await rows.count({ organization_id: auth.organization_id }, { transaction })) >= MOST)
        throw invalid([{ path: 'domain', message: `An organization claims ${MOST} domains at most` }]);
      await rows.insert(claim, { transaction });
      await auditDomain(services, transaction, auth.tenant_id, 'domain.claim', domain, asker(context));
    })
    .catch((error: unknown) => {
      if ((error as { code?: unknown }).code === 11_000) throw conflict('The organization claims this domain already');
      throw error;
    });
  return present(context, domain, claim, await findHolder(services, domain));
}

/** The organization's claim of a domain in a path. @throws PalisadeError NOT_FOUND, alike for domains that others claim and for none */
async function getClaim({ auth, services }: EngineContext, text: string): Promise<DomainClaimRow> {
  const read = readDomain(text);
  const _id = 'domain' in read ? claimId(auth.organization_id, read.domain) : '';
  const claim = await services.database.system(domainClaims).findOne({ _id });
  if (!claim) throw notFound('Domain');
  return claim;
}

/**
 * Looks the record of a claim up now, and writes down what came of it.
 * @throws PalisadeError FORBIDDEN for anybody but an org_admin; NOT_FOUND for a domain that the organization does not claim
 */
export async function verifyDomain(context: EngineContext, text: string) {
  assertOrgAdmin(context);
  const { domain, _id } = await getClaim(context, text);
  const { services } = context;
  const answer = await createRecordLookup(services.config.DNS_SERVERS)(domain);
  await context.transaction(async (transaction) => {
    // it may have been given up, and claimed anew with another value, while the name servers were asked
    const claim = await services.database.system(domainClaims).findOne({ _id }, { transaction });
    if (!claim) throw notFound('Domain');
    await applyAnswer(services, transaction, domain, answer, claim, asker(context));
  });
  services.jobs.wake();
  const [claim, holder] = await Promise.all([services.database.system(domainClaims).findOne({ _id }), findHolder(services, domain)]);
  return present(context, domain, claim, holder);
}

/**
 * Gives a domain up: the claim, and with it what it has proved. Sign-in through accounts of that domain ends at once.
 * @throws PalisadeError FORBIDDEN for anybody but an org_admin; NOT_FOUND; CONFLICT for a domain of the operator's configuration
 */
export async function removeDomain(context: EngineContext, text: string): Promise<boolean> {
  assertOrgAdmin(context);
  const { auth, services } = context;
  const { organization_id } = auth;
  const read = readDomain(text);
  const domain = 'domain' in read ? read.domain : '';
  return context.transaction(async (transaction) => {
    const holder = await findHolder(services, domain, transaction);
    const isOwn = holder?.organization_id === organization_id;
    const claimed = await services.database.system(domainClaims).remove({ _id: claimId(organization_id, domain) }, { transaction });
    if (claimed === 0 && !isOwn) throw notFound('Domain');
    if (isOwn && holder.source === 'configuration')
      throw conflict('The configuration of this deployment names this domain: ask the operator');
    if (isOwn) {
      await services.database.system(domainHolders).remove({ _id: domain, organization_id }, { transaction });
      await endSignIns(services, transaction, organization_id, domain);
    }
    await auditDomain(services, transaction, auth.tenant_id, 'domain.remove', domain, asker(context), { verified: isOwn });
    return true;
  });
}
