import type { SupportIdentity } from '../base/auth-context.js';
import type { AuditAction } from './entry.js';
import { defineCollection, outlivingTenant, type RowOf } from '../store/collection.js';
import { date, nullable, number, object, oneOf, oneOrMore, optional, text, textOf } from '../store/fields.js';

/** One row of a tenant's audit log: an entry, or several that differ in nothing but their target; `_id` is `<tenant_id>|<seq>`. See entries.ts. */
const logRows = defineCollection(
  'audit_log',
  {
    /** Number of its entry, or of the last one. */
    seq: number,
    /** Number of the first of several entries. */
    first_seq: optional(number),
    timestamp: date,
    action: textOf<AuditAction>(),
    actor_email: text,
    /** The thing acted on: `finding:check/<id>`, `user:<id>`, `scan_run:<id>`; that of each entry, in their order, where there are several. */
    target: optional(oneOrMore(text)),
    target_email: optional(text),
    role: optional(text),
    ip_address: optional(text),
    result: oneOf('success', 'failure'),
    detail: optional(object<Record<string, unknown>>()),
    /** Both identities, where the operator's staff acted under a support access. */
    support: optional(object<SupportIdentity>()),
    /** The API key that acted for its owner. */
    api_key_id: optional(text),
    prev: text,
    hash: text,
    /** The seal of an entry in which addresses were replaced after its tenant was removed; `hash` is that of before. */
    erasure: optional(text),
  },
  [
    { key: { tenant_id: 1, seq: -1 }, options: { unique: true } },
    { key: { tenant_id: 1, action: 1, seq: -1 } },
    { key: { tenant_id: 1, target: 1, seq: -1 } },
    { key: { tenant_id: 1, actor_email: 1, seq: -1 } },
    { key: { tenant_id: 1, timestamp: -1 } },
    { key: { tenant_id: 1, action: 1, first_seq: -1 }, options: { partialFilterExpression: { first_seq: { $exists: true } } } },
    // few entries are of failures: all others are counted as what is left
    { key: { tenant_id: 1, result: 1, seq: -1 }, options: { partialFilterExpression: { result: 'failure' } } },
  ],
);

export const auditLog = outlivingTenant(logRows);
export type AuditRow = RowOf<typeof auditLog>;

/** The end of a tenant's chain; `_id` is the tenant id. */
export const auditHeads = outlivingTenant(
  defineCollection('audit_heads', {
    seq: number,
    hash: text,
    /** Without the key outside the database, no other entry can be made the last one. */
    seal: text,
  }),
);
export type AuditHead = RowOf<typeof auditHeads>;

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

/** What the last verification of a tenant's chain has found; `_id` is the tenant id. */
export const auditVerifications = outlivingTenant(
  defineCollection('audit_verifications', {
    /** The last entry up to which the chain holds, and its hash. */
    last_seq: number,
    hash: text,
    verified_at: date,
    /** When every kept entry was walked last; since then only those that were added. */
    whole_at: date,
    /** The first entry that does not hold. */
    broken: nullable(object<{ seq: number; reason: string }>()),
    seal: text,
  }),
);
export type AuditVerification = RowOf<typeof auditVerifications>;
