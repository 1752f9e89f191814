import type { AuditRow } from './records.js';
import type { AuditSeals } from './seals.js';
import type { TenantDatabase } from '../store/database.js';
import { auditEpochs } from './records.js';

/**
 * The check of a tenant's single entries: each holds under the master key of its time, and what `tenant.erase` has changed under the seal of
 * that change. An epoch whose own seal does not hold counts for nothing, and so its entries do not hold either.
 */
export async function entryCheck(tenant: TenantDatabase, seals: AuditSeals): Promise<(row: AuditRow) => boolean> {
  const stored = await tenant.collection(auditEpochs).find({}, { sort: { last_seq: 1 } });
  const epochs = stored.filter((epoch) => seals.holds(epoch.seal, seals.epoch(epoch)));
  return (row) => {
    const key = epochs.find(({ last_seq }) => row.seq <= last_seq)?.key ?? null;
    if (!row.erasure) return seals.holds(row.hash, seals.entry(row, key));
    return [null, key].some((one) => seals.holds(row.erasure, seals.erasure(row, one)));
  };
}
