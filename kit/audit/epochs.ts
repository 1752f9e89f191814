import type { AuditRow } from './records.js';
import type { AuditSeals } from './seals.js';
import { defineCollection, outlivingTenant, type RowOf } from '../store/collection.js';
import { number, text } from '../store/fields.js';
import type { TenantDatabase } from '../store/database.js';

/** The part of a tenant's chain that was written under a former master key; `_id` is `<tenant_id>|<fingerprint>`. Its seal is of the present key. */
export const auditEpochs = outlivingTenant(
  defineCollection('audit_epochs', {
    /** Fingerprint of the master key. */
    key: text,
    /** The last entry under it: later ones of that key are forged. */
    last_seq: number,
    hash: text,
    seal: text,
  }),
);
export type AuditEpoch = RowOf<typeof auditEpochs>;

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
