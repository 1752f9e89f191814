import type { AuditLog } from './audit.js';
import { entryCheck } from './epochs.js';
import { auditLog, type AuditRow } from './records.js';
import { SYSTEM_ACTOR } from '../base/auth-context.js';
import type { Clock } from '../base/clock.js';
import type { Database } from '../store/database.js';
import { conflict } from '../base/errors.js';
import { outbox } from '../work/outbox.js';

/** Entries read and written at a time. */
const BATCH = 500;
/** An e-mail address within a text, as far as texts of entries hold any. */
const ADDRESS = /[^\s"'<>()[\]{},;:|/\\@]+@[^\s"'<>()[\]{},;:|/\\@]+/g;

/** Fields of an entry that may hold an address; the others name things. */
const FIELDS = ['actor_email', 'target', 'target_email', 'ip_address', 'detail', 'support'] as const;

/**
 * Replaces the addresses of people in a tenant's audit log, those of mail and of networks, by digests: one word the same person, and no way back
 * without the master key. The chain is not made anew: each changed entry keeps its hash, which the next entry stands on, and gets a seal over
 * what it says now and that hash. It is noted first (`tenant.erase`), so a kill leaves the rest for the next call.
 * @returns the number of entries that it changed
 * @throws PalisadeError CONFLICT when the log does not hold: evidence of a change is never sealed over
 */
export async function eraseAddresses(
  { database, clock }: { database: Database; clock: Clock },
  log: AuditLog,
  tenantId: string,
): Promise<number> {
  const { broken } = await log.verify(tenantId);
  if (broken) throw conflict(`The audit log does not hold at seq ${broken.seq}: ${broken.reason}`);
  const tenant = database.tenant(tenantId);
  const rows = tenant.collection(auditLog);
  const last = await rows.findOne({}, { sort: { seq: -1 } });
  if (!last) throw conflict('There is no audit log of this tenant');
  if (last.action !== 'tenant.erase')
    await database.transaction(async (transaction) => {
      const entry = { action: 'tenant.erase', actor_email: SYSTEM_ACTOR, target: `tenant:${tenantId}`, result: 'success' } as const;
      await log.append(transaction, tenantId, clock.now(), [{ ...entry, detail: { through_seq: last.seq, hash: last.hash } }]);
      // nobody of the tenant is left to be told
      await tenant.collection(outbox).remove({}, { transaction });
    });
  const holds = await entryCheck(tenant, log.seals);
  let erased = 0;
  for (let after = 0; ;) {
    const batch = await rows.find({ seq: { $gt: after } }, { sort: { seq: 1 }, limit: BATCH });
    if (batch.length === 0) return erased;
    const updates = batch.flatMap((row) => {
      const change = changeOf(row, (address) => log.seals.address(tenantId, address));
      if (Object.keys(change).length === 0) return [];
      if (!holds(row)) throw conflict(`The audit log does not hold at seq ${row.seq}`);
      const erasure = log.seals.erasure({ ...row, ...change });
      return [{ _id: row._id, update: { $set: { ...change, erasure } } }];
    });
    await rows.bulkUpdate(updates);
    erased += updates.length;
    after = batch.at(-1)!.seq;
  }
}

/** The fields of an entry that are others without addresses. */
function changeOf(row: AuditRow, digest: (address: string) => string): Partial<AuditRow> {
  const change: Record<string, unknown> = {};
  for (const field of FIELDS) {
    const value = row[field];
    const isNetwork = field === 'ip_address' && typeof value === 'string' && value !== '' && !value.startsWith('address:');
    const without = isNetwork ? digest(value) : withoutAddresses(value, digest);
    if (JSON.stringify(without) !== JSON.stringify(value)) change[field] = without;
  }
  return change;
}

function withoutAddresses(value: unknown, digest: (address: string) => string): unknown {
  if (typeof value === 'string') return value.replaceAll(ADDRESS, digest);
  if (Array.isArray(value)) return value.map((one) => withoutAddresses(one, digest));
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  const entries = Object.entries(value).map(([key, one]) => [key.replaceAll(ADDRESS, digest), withoutAddresses(one, digest)]);
  return Object.fromEntries(entries) as unknown;
}
