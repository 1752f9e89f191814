import { defineCollection, outlivingTenant, type RowOf } from '../store/collection.js';
import { date, nullable, number, text } from '../store/fields.js';

/**
 * One past month of a tenant's audit log, sealed: a stretch of the chain between two known hashes. It is what retention removes, whole;
 * the row itself stays, so that the chain's beginning is known after its oldest months are gone. `_id` is `<tenant_id>|<month>`.
 */
const segmentRows = defineCollection(
  'audit_segments',
  {
    /** `2026-01`, in UTC. */
    month: text,
    first_seq: number,
    last_seq: number,
    /** Hash of the entry before the first. */
    prev: text,
    /** Hash of the last entry. */
    hash: text,
    /** When retention ended; null while the entries are kept. */
    expired_at: nullable(date),
    seal: text,
  },
  [{ key: { tenant_id: 1, first_seq: 1 } }],
);
export type AuditSegment = RowOf<typeof segmentRows>;

export const auditSegments = outlivingTenant(segmentRows);
