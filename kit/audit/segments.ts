import { defineCollection, outlivingTenant } from '../store/collection.js';

/**
 * One past month of a tenant's audit log, sealed: a stretch of the chain between two known hashes. It is what retention removes, whole;
 * the row itself stays, so that the chain's beginning is known after its oldest months are gone. `_id` is `<tenant_id>|<month>`.
 */
export interface AuditSegment {
  _id: string;
  tenant_id: string;
  /** `2026-01`, in UTC. */
  month: string;
  first_seq: number;
  last_seq: number;
  /** Hash of the entry before the first. */
  prev: string;
  /** Hash of the last entry. */
  hash: string;
  /** When retention ended; null while the entries are kept. */
  expired_at: Date | null;
  seal: string;
}

const segmentRows = defineCollection<AuditSegment>(
  'audit_segments',
  {
    month: String,
    first_seq: Number,
    last_seq: Number,
    prev: String,
    hash: String,
    expired_at: { type: Date, default: null },
    seal: String,
  },
  [{ key: { tenant_id: 1, first_seq: 1 } }],
);

export const auditSegments = outlivingTenant(segmentRows);
