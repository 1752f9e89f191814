import { periodic } from '../../../kit/engine/background.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { isVerified } from '../../../accounts/domains/holders.js';
import { mailOrganization } from './mail.js';
import { applyAnswer, auditDomain, type DomainServices } from './proofs.js';
import { createRecordLookup, type RecordLookup } from './record-lookup.js';
import { CHECK_EVERY, CHECK_FAILING_EVERY, domainClaims, domainHolders, type DomainHolderRow } from '../../../accounts/domains/records.js';

const HOUR = 3_600_000;
/** Milliseconds that one round may take; the next one goes on with what is left. */
const ROUND = 4 * 60_000;

/** Looks up what is due: each proof weekly, a missing one daily, and hourly the proofs that wait for another organization's to be gone. */
export const domainChecks = periodic('domain-checks', HOUR, (services, signal) =>
  checkDomains(services, createRecordLookup(services.config.DNS_SERVERS), signal),
);

/** @param lookup asks the name servers */
export async function checkDomains(
  services: DomainServices & Pick<EngineServices, 'logger'>,
  lookup: RecordLookup,
  signal?: AbortSignal,
): Promise<void> {
  const { database, clock, logger } = services;
  const now = clock.now();
  const until = Date.now() + ROUND;
  const before = (age: number) => ({ $lte: new Date(now.getTime() - age) });
  const due = await database.system(domainHolders).find(
    {
      source: 'dns',
      $or: [{ checked_at: before(CHECK_EVERY) }, { failing_since: { $ne: null }, checked_at: before(CHECK_FAILING_EVERY) }],
    },
    { fields: ['_id'], sort: { checked_at: 1 }, limit: 1_000 },
  );
  const waiting = await database.system(domainClaims).find({ proved_at: { $ne: null } }, { fields: ['domain'], limit: 1_000 });
  for (const domain of new Set([...waiting.map((claim) => claim.domain), ...due.map(({ _id }) => _id)])) {
    if (signal?.aborted || Date.now() > until) return;
    await checkDomain(services, domain, lookup).catch((error: unknown) =>
      logger.error({ err: error, domain }, 'a domain could not be checked'),
    );
  }
  await tellLapsed(services);
  services.jobs.wake();
}

async function checkDomain(services: DomainServices, domain: string, lookup: RecordLookup): Promise<void> {
  const { database } = services;
  const answer = await lookup(domain);
  const claims = await database.system(domainClaims).find({ domain, proved_at: { $ne: null } }, { sort: { proved_at: 1 } });
  for (const known of claims.length > 0 ? claims : [null]) {
    await database.transaction(async (transaction) => {
      const claim = known && (await database.system(domainClaims).findOne({ _id: known._id }, { transaction }));
      await applyAnswer(services, transaction, domain, answer, claim);
    });
  }
}

/** Mails the org_admins of domains whose record has gone missing, and once more when it has been for two weeks. */
async function tellLapsed(services: DomainServices): Promise<void> {
  const { database, clock } = services;
  const now = clock.now();
  const troubled = await database
    .system(domainHolders)
    .find({ $or: [{ failing_since: { $ne: null } }, { ends_at: { $lte: now } }], notified: { $ne: 'lapsed' } }, { limit: 1_000 });
  for (const holder of troubled) {
    const notified = isVerified(holder, now) ? 'failing' : 'lapsed';
    if (notified === holder.notified) continue;
    await database.transaction(async (transaction) => {
      const same = { _id: holder._id, organization_id: holder.organization_id, notified: holder.notified };
      const { matched } = await database.system(domainHolders).update(same, { $set: { notified } }, { transaction });
      if (matched === 0) return;
      if (notified === 'lapsed') await auditDomain(services, transaction, holder.tenant_id, 'domain.lapse', holder._id);
      await mailOrganization(services, transaction, holder.organization_id, noticeOf(holder, notified));
    });
  }
}

function noticeOf({ _id: domain, source, failing_since }: DomainHolderRow, notified: 'failing' | 'lapsed') {
  if (notified === 'failing')
    return {
      subject: `The record that verifies ${domain} is missing`,
      text: `The TXT record _palisade.${domain} could not be seen since ${failing_since!.toUTCString()}. Set it again: its value is at Settings, Domains (GET /api/v1/settings/domains).
Two weeks after that time, your identity provider makes no new accounts for addresses of ${domain}.\n`,
    };
  const why = source === 'operator' ? "The 90 days of the operator's word are over" : 'Its TXT record has been missing for two weeks';
  return {
    subject: `${domain} is no longer verified`,
    text: `${why}. Your identity provider makes no new accounts for addresses of ${domain}; who has one goes on signing in.
Set the record that GET /api/v1/settings/domains names, and verify the domain again.\n`,
  };
}
