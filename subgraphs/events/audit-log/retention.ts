import type { AuditLog } from '../../../kit/audit/audit.js';
import { auditHeads, auditLog } from '../../../kit/audit/audit.js';
import { firstSeq } from '../../../kit/audit/entries.js';
import { GENESIS } from '../../../kit/audit/seals.js';
import { auditSegments, type AuditSegment } from '../../../kit/audit/segments.js';
import { walk, type ChainPlace } from '../../../kit/audit/verify.js';
import { SYSTEM_ACTOR } from '../../../kit/base/auth-context.js';
import { periodic } from '../../../kit/engine/background.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import type { TenantDatabase } from '../../../kit/store/database.js';
import { getAuditLog } from '../../../kit/engine/create-context.js';
import { monthOf, nextMonth, startOfMonth } from './months.js';

/** Years for which every entry is kept (specification, "Limits"). */
export const RETENTION_YEARS = 7;

/** How long a month is over before it is sealed, so that no action of it is still on its way; and how often months are looked at. Milliseconds. */
const DAY = 86_400_000;

/** Seals the months that are over and removes those that nobody must keep any more. */
export const auditRetention = periodic('audit.retention', DAY, async (services, signal) => {
  const { database, logger } = services;
  for await (const { tenant_id } of database.system(auditHeads).scan({}, { fields: ['tenant_id'] })) {
    if (signal.aborted) return;
    await retainAuditLog(services, tenant_id).catch((error: unknown) =>
      logger.error({ err: error, tenant: tenant_id }, 'months of an audit log could not be sealed or removed'),
    );
  }
});

/**
 * Seals each month of the tenant's log that is over, and ends the retention of those that are older than RETENTION_YEARS.
 * @throws an Error that names the first entry that does not hold: a broken month is neither sealed nor removed
 */
export async function retainAuditLog(services: Pick<EngineServices, 'database' | 'clock' | 'masterKey'>, tenantId: string): Promise<void> {
  const log = getAuditLog(services);
  const tenant = services.database.tenant(tenantId);
  const now = services.clock.now();
  await sealMonths(tenant, log, now);
  for (const segment of await tenant.collection(auditSegments).find({ expired_at: null }, { sort: { first_seq: 1 } })) {
    if (endOfRetention(segment) > now) break;
    await assertHolds(tenant, log, { seq: segment.first_seq - 1, hash: segment.prev }, segment.last_seq);
    await expire(services, log, segment, now);
  }
  await removeExpired(tenant);
}

async function sealMonths(tenant: TenantDatabase, log: AuditLog, now: Date): Promise<void> {
  const segments = tenant.collection(auditSegments);
  const rows = tenant.collection(auditLog);
  for (;;) {
    const [before] = await segments.find({}, { sort: { first_seq: -1 }, limit: 1 });
    const from: ChainPlace = { seq: before?.last_seq ?? 0, hash: before?.hash ?? GENESIS };
    const first = await rows.findOne({ seq: { $gt: from.seq } }, { sort: { seq: 1 }, fields: ['timestamp'] });
    if (!first) return;
    // clocks of processes differ: an entry that seems to be of a month already sealed counts for the next one
    const month = [monthOf(first.timestamp), before ? nextMonth(before.month) : ''].sort()[1]!;
    const end = startOfMonth(nextMonth(month));
    if (end.getTime() + DAY > now.getTime()) return;
    const next = await rows.findOne(
      { seq: { $gt: from.seq }, timestamp: { $gte: end } },
      { sort: { seq: 1 }, fields: ['seq', 'first_seq'] },
    );
    const place = await assertHolds(tenant, log, from, next ? firstSeq(next) - 1 : Number.MAX_SAFE_INTEGER);
    const sealed = {
      tenant_id: tenant.tenantId,
      month,
      first_seq: from.seq + 1,
      last_seq: place.seq,
      prev: from.hash,
      hash: place.hash,
      expired_at: null,
    };
    await segments.insert({ _id: `${tenant.tenantId}|${month}`, ...sealed, seal: log.seals.segment(sealed) });
  }
}

async function assertHolds(tenant: TenantDatabase, log: AuditLog, from: ChainPlace, last: number): Promise<ChainPlace> {
  const { place, broken } = await walk(tenant, log.seals, from, last);
  if (broken) throw new Error(broken.reason);
  return place;
}

const endOfRetention = ({ month }: AuditSegment): Date => {
  const end = startOfMonth(nextMonth(month));
  end.setUTCFullYear(end.getUTCFullYear() + RETENTION_YEARS);
  return end;
};

/** Notes that a month is no longer kept, in its seal and in the log. Its entries go afterwards, in as many tries as it takes. */
async function expire({ database }: Pick<EngineServices, 'database'>, log: AuditLog, segment: AuditSegment, now: Date): Promise<void> {
  const { _id, tenant_id, month, first_seq, last_seq } = segment;
  const change = { expired_at: now, seal: log.seals.segment({ ...segment, expired_at: now }) };
  await database.transaction(async (transaction) => {
    const segments = database.tenant(tenant_id).collection(auditSegments);
    const { matched } = await segments.update({ _id, expired_at: null }, { $set: change }, { transaction });
    if (matched === 0) return;
    const entry = { action: 'audit.expire', actor_email: SYSTEM_ACTOR, target: `audit_segment:${month}`, result: 'success' } as const;
    await log.append(transaction, tenant_id, now, [{ ...entry, detail: { first_seq, last_seq, hash: segment.hash } }]);
  });
}

/** Removes the entries of months that are no longer kept. */
export async function removeExpired(tenant: TenantDatabase): Promise<void> {
  const [last] = await tenant.collection(auditSegments).find({ expired_at: { $ne: null } }, { sort: { first_seq: -1 }, limit: 1 });
  if (last) await tenant.collection(auditLog).remove({ seq: { $lte: last.last_seq } });
}
