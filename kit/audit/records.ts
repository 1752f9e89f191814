import type { AuditInput } from './entry.js';
import { defineCollection, outlivingTenant } from '../store/collection.js';

/** One entry of a tenant's audit log; `_id` is `<tenant_id>|<seq>`. */
export interface AuditRow extends AuditInput {
  _id: string;
  tenant_id: string;
  seq: number;
  timestamp: Date;
  prev: string;
  hash: string;
  /** The seal of an entry in which addresses were replaced after its tenant was removed; `hash` is that of before. */
  erasure?: string;
}

/** The end of a tenant's chain; `_id` is the tenant id. */
export interface AuditHead {
  _id: string;
  tenant_id: string;
  seq: number;
  hash: string;
  /** Without the key outside the database, no other entry can be made the last one. */
  seal: string;
}

const logRows = defineCollection<AuditRow>(
  'audit_log',
  {
    seq: Number,
    timestamp: Date,
    action: String,
    actor_email: String,
    target: String,
    target_email: String,
    role: String,
    ip_address: String,
    result: String,
    detail: Object,
    support: Object,
    api_key_id: String,
    prev: String,
    hash: String,
    erasure: String,
  },
  [
    { key: { tenant_id: 1, seq: -1 }, options: { unique: true } },
    { key: { tenant_id: 1, action: 1, seq: -1 } },
    { key: { tenant_id: 1, target: 1, seq: -1 } },
    { key: { tenant_id: 1, actor_email: 1, seq: -1 } },
    { key: { tenant_id: 1, timestamp: -1 } },
  ],
);

export const auditLog = outlivingTenant(logRows);

export const auditHeads = outlivingTenant(defineCollection<AuditHead>('audit_heads', { seq: Number, hash: String, seal: String }));

/** The part of a tenant's chain that was written under a former master key; `_id` is `<tenant_id>|<fingerprint>`. Its seal is of the present key. */
export interface AuditEpoch {
  _id: string;
  tenant_id: string;
  /** Fingerprint of the master key. */
  key: string;
  /** The last entry under it: later ones of that key are forged. */
  last_seq: number;
  hash: string;
  seal: string;
}

export const auditEpochs = outlivingTenant(
  defineCollection<AuditEpoch>('audit_epochs', { key: String, last_seq: Number, hash: String, seal: String }),
);
