import type { AuditAction, AuditInput } from '../../../kit/audit/entry.js';
import { SYSTEM_ACTOR } from '../../../kit/base/auth-context.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { repeatOnDuplicate } from '../../../kit/store/database.js';
import { getAuditLog } from '../../../kit/engine/create-context.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { endSignIns } from './end-sign-ins.js';
import { findHolder, type Holder, type HolderSource } from '../../../accounts/domains/holders.js';
import { mailOrganization } from './mail.js';
import {
  claimId,
  domainClaims,
  domainHolders,
  TRANSFER_AFTER,
  type DomainClaimRow,
  type DomainHolderRow,
} from '../../../accounts/domains/records.js';
import type { RecordAnswer } from './record-lookup.js';

export type DomainServices = HolderSource & Pick<EngineServices, 'masterKey' | 'clock' | 'mailer' | 'jobs'>;

/** Who asked for the look-up; the weekly check when absent. */
export type Asker = Pick<AuditInput, 'actor_email' | 'role' | 'ip_address'> & { tenant_id: string };

/** Adds an entry about a domain to the audit log of a tenant. */
export function auditDomain(
  services: Pick<EngineServices, 'database' | 'masterKey' | 'clock'>,
  transaction: TransactionOf,
  tenantId: string,
  action: AuditAction,
  domain: string,
  by: Partial<Asker> = {},
  detail?: Record<string, unknown>,
): Promise<void> {
  const { tenant_id: _, ...actor } = by;
  const entry = {
    actor_email: SYSTEM_ACTOR,
    ...actor,
    action,
    target: `domain:${domain}`,
    result: 'success',
    ...(detail && { detail }),
  } as const;
  return getAuditLog(services).append(transaction, tenantId, services.clock.now(), [entry]);
}

/** Whether an answer shows the record of a claim. */
export const shows = (answer: RecordAnswer, claim: Pick<DomainClaimRow, 'value'> | null): boolean =>
  answer.state === 'answered' && claim !== null && answer.values.includes(claim.value);

const WRONG_VALUE = 'The TXT record has another value than this claim asks for';
const HELD =
  'The record is right, but another organization has proved this domain: it passes on once the other record has been gone for 72 hours';
const HELD_BY_WORD = 'The record is right, but the operator of this deployment answers for another organization: ask the operator';

/**
 * Writes down what the name servers have said of a domain: for the organization that holds it, and for one that claims it. The first that
 * proves a free domain holds it; of two at once, one. A domain that is held passes on with the new proof, once the old one has been missing for
 * 72 hours.
 */
export async function applyAnswer(
  services: DomainServices,
  transaction: TransactionOf,
  domain: string,
  answer: RecordAnswer,
  claim: DomainClaimRow | null,
  by?: Asker,
): Promise<void> {
  const { database } = services;
  const now = services.clock.now();
  const held = await database.system(domainHolders).findOne({ _id: domain }, { transaction });
  const holder = held && (await noteHolder(services, transaction, held, answer));
  if (claim === null) return;
  const isShown = shows(answer, claim);
  const effective = await findHolder(services, domain, transaction);
  const isFree = effective === null || effective.organization_id === claim.organization_id;
  const mayPass = effective !== null && !isFree && mayTransfer(effective, now);
  const holds = isShown && (isFree || mayPass);
  if (holds && effective?.source !== 'configuration') await take(services, transaction, claim, holder, by);
  const problem = isShown ? (isFree || mayPass ? null : effective.source === 'dns' ? HELD : HELD_BY_WORD) : (answer.problem ?? WRONG_VALUE);
  // silence of the name servers says nothing of this one's record either
  const proved_at = isShown ? (problem === null ? null : (claim.proved_at ?? now)) : answer.state === 'unknown' ? claim.proved_at : null;
  await database.system(domainClaims).update({ _id: claim._id }, { $set: { checked_at: now, problem, proved_at } }, { transaction });
}

/** When a held domain may pass to who proves it; null while nothing says that it may. */
export function transfersAt(holder: Holder): Date | null {
  if (holder.source === 'configuration') return null;
  const without = holder.source === 'operator' ? holder.ends_at : holder.absent_since;
  return without && new Date(without.getTime() + TRANSFER_AFTER);
}

function mayTransfer(holder: Holder, now: Date): boolean {
  const at = transfersAt(holder);
  return at !== null && at <= now;
}

/** Notes at the holder whether its own record was seen. */
async function noteHolder(
  { database, clock }: DomainServices,
  transaction: TransactionOf,
  holder: DomainHolderRow,
  answer: RecordAnswer,
): Promise<DomainHolderRow> {
  if (holder.source !== 'dns') return holder;
  const now = clock.now();
  const own = await database.system(domainClaims).findOne({ _id: claimId(holder.organization_id, holder._id) }, { transaction });
  const isShown = shows(answer, own);
  const changes = {
    checked_at: now,
    failing_since: isShown ? null : (holder.failing_since ?? now),
    // silence of the name servers says nothing of the record
    absent_since: isShown ? null : (holder.absent_since ?? (answer.state === 'answered' ? now : null)),
    ...(isShown && { notified: null }),
  };
  await database.system(domainHolders).update({ _id: holder._id }, { $set: changes }, { transaction });
  return { ...holder, ...changes };
}

/** Makes the claiming organization the holder. */
async function take(
  services: DomainServices,
  transaction: TransactionOf,
  claim: DomainClaimRow,
  before: DomainHolderRow | null,
  by: Asker | undefined,
): Promise<void> {
  const { database, clock } = services;
  const { domain, organization_id, tenant_id } = claim;
  const now = clock.now();
  const isNew = before?.organization_id !== organization_id;
  if (!isNew && before.source === 'dns') return;
  const values: Omit<DomainHolderRow, '_id'> = {
    organization_id,
    tenant_id,
    source: 'dns',
    verified_at: now,
    ends_at: null,
    checked_at: now,
    failing_since: null,
    absent_since: null,
    notified: null,
    accounts_made: (before?.accounts_made ?? 0) + 1,
  };
  const rows = database.system(domainHolders);
  if (before) await rows.update({ _id: domain }, { $set: values }, { transaction });
  else await rows.insert({ _id: domain, ...values }, { transaction }).catch(repeatOnDuplicate);
  await auditDomain(services, transaction, by?.tenant_id ?? tenant_id, 'domain.verify', domain, by);
  if (!before || !isNew) return;
  // the log of who had it does not say who has it now
  await endSignIns(services, transaction, before.organization_id, domain);
  await auditDomain(services, transaction, before.tenant_id, 'domain.lose', domain);
  await mailOrganization(services, transaction, before.organization_id, {
    subject: `${domain} is no longer verified for your organization`,
    text: `Another organization has proved that it has ${domain}, and your record was gone for 72 hours. Nobody signs in to your tenants any more through accounts of that domain.\n`,
  });
}
