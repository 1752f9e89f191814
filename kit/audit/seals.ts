import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AuditHead, AuditRow } from './records.js';
import type { AuditSegment } from './segments.js';
import type { MasterKey } from '../keys/master-key.js';

/** `prev` of a tenant's first entry. */
export const GENESIS = '0'.repeat(64);

/**
 * The seals of the audit chain: HMAC-SHA-256 (RFC 2104) under keys that derive from the master key and never lie in the database. Entries,
 * heads and segments have a key each, so that the seal of one is no seal of another.
 */
export class AuditSeals {
  private readonly keys: { readonly entry: Buffer; readonly head: Buffer; readonly segment: Buffer };

  constructor(masterKey: MasterKey) {
    this.keys = { entry: masterKey.derive('audit'), head: masterKey.derive('audit/head'), segment: masterKey.derive('audit/segment') };
  }

  /** The hash of an entry: every field but the hash, in a fixed order. */
  entry(row: Omit<AuditRow, 'hash'>): string {
    return hmac(this.keys.entry, [
      row.tenant_id,
      row.seq,
      row.prev,
      row.timestamp.toISOString(),
      row.action,
      row.actor_email,
      row.target ?? null,
      row.target_email ?? null,
      row.role ?? null,
      row.ip_address ?? null,
      row.result,
      row.detail ?? null,
      ...onBehalf(row),
    ]);
  }

  /** The seal of a chain's end. The last entry's own hash stands in the database for everybody to copy; this does not follow from it. */
  head({ tenant_id, seq, hash }: Pick<AuditHead, 'tenant_id' | 'seq' | 'hash'>): string {
    return hmac(this.keys.head, [tenant_id, seq, hash]);
  }

  /** The seal of a month. */
  segment({ tenant_id, month, first_seq, last_seq, prev, hash, expired_at }: Omit<AuditSegment, '_id' | 'seal'>): string {
    return hmac(this.keys.segment, [tenant_id, month, first_seq, last_seq, prev, hash, expired_at?.toISOString() ?? null]);
  }

  /** Whether a stored seal is the right one; in constant time. */
  holds(stored: unknown, right: string): boolean {
    return typeof stored === 'string' && stored.length === right.length && timingSafeEqual(Buffer.from(stored), Buffer.from(right));
  }
}

/** Who acted for whom; entries without it hash as they did before there was any. */
const onBehalf = ({ support, api_key_id }: Pick<AuditRow, 'support' | 'api_key_id'>): unknown[] =>
  support || api_key_id ? [support ? [support.access_id, support.staff, support.approved_by] : null, api_key_id ?? null] : [];

const hmac = (key: Buffer, fields: readonly unknown[]): string => createHmac('sha256', key).update(JSON.stringify(fields)).digest('hex');
