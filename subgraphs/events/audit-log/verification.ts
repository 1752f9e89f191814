import { auditHeads } from '../../../kit/audit/audit.js';
import { auditVerifications, type AuditVerification } from '../../../kit/audit/records.js';
import { GENESIS } from '../../../kit/audit/seals.js';
import { periodic } from '../../../kit/engine/background.js';
import type { EngineContext, EngineServices } from '../../../kit/engine/context.js';
import { getAuditLog } from '../../../kit/engine/create-context.js';

/** How often what was added is verified, and after how long every entry is once more; milliseconds. */
const QUARTER = 15 * 60_000;
const DAY = 86_400_000;

type Services = Pick<EngineServices, 'database' | 'clock' | 'masterKey'>;

/** Verifies the log of each tenant: what was added since the time before, and once a day all of it. */
export const auditVerification = periodic('audit.verification', QUARTER, async (services, signal) => {
  const { database, logger } = services;
  for await (const { tenant_id } of database.system(auditHeads).scan({}, { fields: ['tenant_id'] })) {
    if (signal.aborted) return;
    try {
      const { broken } = await verifyAuditLog(services, tenant_id);
      if (broken) logger.error({ tenant: tenant_id, ...broken }, 'an audit log does not hold');
    } catch (error) {
      logger.error({ err: error, tenant: tenant_id }, 'an audit log could not be verified');
    }
  }
});

/** The last verification as it was sealed; null where there is none, or where something else was written in its place. */
async function lastVerification({ database, masterKey }: Services, tenantId: string): Promise<AuditVerification | null> {
  const { seals } = getAuditLog({ database, masterKey });
  const row = await database.tenant(tenantId).collection(auditVerifications).findOne({});
  return row && seals.holds(row.seal, seals.verification(row)) ? row : null;
}

/** Verifies the tenant's log behind what was verified before, or all of it where that is a day ago or did not hold, and keeps what it finds. */
export async function verifyAuditLog(services: Services, tenantId: string): Promise<Omit<AuditVerification, '_id' | 'tenant_id' | 'seal'>> {
  const { database, clock } = services;
  const log = getAuditLog(services);
  const now = clock.now();
  const known = await lastVerification(services, tenantId);
  const isWhole = !known || known.broken !== null || now.getTime() - known.whole_at.getTime() >= DAY;
  const from = isWhole ? { seq: 0, hash: GENESIS } : { seq: known.last_seq, hash: known.hash };
  const { verdict, place } = await log.verifyBehind(tenantId, from);
  const found = {
    last_seq: place.seq,
    hash: place.hash,
    verified_at: now,
    whole_at: isWhole ? now : known.whole_at,
    broken: verdict.broken,
  };
  const seal = log.seals.verification({ tenant_id: tenantId, ...found });
  await database
    .tenant(tenantId)
    .collection(auditVerifications)
    .update({ _id: tenantId }, { $set: { ...found, seal } }, { upsert: true });
  return found;
}

/** How far the caller's log was verified, and what was found. */
export async function auditVerificationOf({ services, auth }: EngineContext) {
  const known = await lastVerification(services, auth.tenant_id);
  return {
    state: known ? (known.broken ? 'broken' : 'holds') : 'pending',
    verified_at: known?.verified_at ?? null,
    whole_at: known?.whole_at ?? null,
    last_seq: known?.last_seq ?? null,
    broken_seq: known?.broken?.seq ?? null,
    reason: known?.broken?.reason ?? null,
  };
}
