import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AuditEpoch } from './records.js';
import type { AuditHead, AuditRow, AuditVerification } from './records.js';
import type { AuditSegment } from './segments.js';
import { hashedTarget, hashedTargetOf, type ProvenEntry } from './entries.js';
import type { MasterKey } from '../keys/master-key.js';

/** `prev` of a tenant's first entry. */
export const GENESIS = '0'.repeat(64);

interface SealKeys {
  readonly entry: Buffer;
  readonly erasure: Buffer;
}

/**
 * The seals of the audit chain: HMAC-SHA-256 (RFC 2104) under keys that derive from the master key and never lie in the database. Entries,
 * heads, segments, epochs, erasures and verifications have a key each, so that the seal of one is no seal of another. Former master keys verify entries only.
 */
export class AuditSeals {
  private readonly keys: SealKeys & {
    readonly head: Buffer;
    readonly segment: Buffer;
    readonly epoch: Buffer;
    readonly address: Buffer;
    readonly verification: Buffer;
  };
  private readonly former: ReadonlyMap<string, SealKeys>;

  constructor(masterKey: MasterKey) {
    this.keys = {
      entry: masterKey.derive('audit'),
      erasure: masterKey.derive('audit/erasure'),
      head: masterKey.derive('audit/head'),
      segment: masterKey.derive('audit/segment'),
      epoch: masterKey.derive('audit/epoch'),
      address: masterKey.derive('audit/address'),
      verification: masterKey.derive('audit/verification'),
    };
    this.former = new Map(
      masterKey.former.map((key) => [key.fingerprint, { entry: key.derive('audit'), erasure: key.derive('audit/erasure') }]),
    );
  }

  /**
   * The hash of an entry: every field but the hash, in a fixed order.
   * @param key fingerprint of the former master key that it was written under; null for the present one
   */
  entry(row: Omit<AuditRow, 'hash'>, key: string | null = null): string {
    const keys = this.keysOf(key);
    return keys ? hmac(keys.entry, fieldsOf(row)) : '';
  }

  /** Whether an entry that left the store, with its proof where it shares a row, is one that was written under the present or a former master key. */
  holdsAlone(entry: ProvenEntry): boolean {
    const fields = fieldsOf({ ...entry, _id: '', seq: entry.batch?.last_seq ?? entry.seq, target: undefined }, hashedTargetOf(entry));
    return [this.keys, ...this.former.values()].some((keys) => this.holds(entry.hash, hmac(keys.entry, fields)));
  }

  /** The seal of an entry in which addresses were replaced: of what it says now, and of the hash that it had and keeps. */
  erasure(row: AuditRow, key: string | null = null): string {
    const keys = this.keysOf(key);
    return keys ? hmac(keys.erasure, [row.hash, ...fieldsOf(row)]) : '';
  }

  /** What stands for an address once it is erased: the same for the same address of a tenant, and no way back without the master key. */
  address(tenantId: string, address: string): string {
    return `address:${hmac(this.keys.address, [tenantId, address.toLowerCase()]).slice(0, 24)}`;
  }

  /** The seal of the part of a chain that was written under a former master key. */
  epoch({ tenant_id, key, last_seq, hash }: Omit<AuditEpoch, '_id' | 'seal'>): string {
    return hmac(this.keys.epoch, [tenant_id, key, last_seq, hash]);
  }

  /** The seal of a chain's end. The last entry's own hash stands in the database for everybody to copy; this does not follow from it. */
  head({ tenant_id, seq, hash }: Pick<AuditHead, 'tenant_id' | 'seq' | 'hash'>): string {
    return hmac(this.keys.head, [tenant_id, seq, hash]);
  }

  /** The seal of a month. */
  segment({ tenant_id, month, first_seq, last_seq, prev, hash, expired_at }: Omit<AuditSegment, '_id' | 'seal'>): string {
    return hmac(this.keys.segment, [tenant_id, month, first_seq, last_seq, prev, hash, expired_at?.toISOString() ?? null]);
  }

  /** The seal of what a verification has found: who can write to the database alone can say nothing better of a log. */
  verification({ tenant_id, last_seq, hash, verified_at, whole_at, broken }: Omit<AuditVerification, '_id' | 'seal'>): string {
    const told = broken && [broken.seq, broken.reason];
    return hmac(this.keys.verification, [tenant_id, last_seq, hash, verified_at.toISOString(), whole_at.toISOString(), told]);
  }

  /** Whether a stored seal is the right one; in constant time. */
  holds(stored: unknown, right: string): boolean {
    return (
      typeof stored === 'string' &&
      right !== '' &&
      stored.length === right.length &&
      timingSafeEqual(Buffer.from(stored), Buffer.from(right))
    );
  }

  private keysOf(key: string | null): SealKeys | undefined {
    return key === null ? this.keys : this.former.get(key);
  }
}

const fieldsOf = (row: Omit<AuditRow, 'hash'>, target: unknown = hashedTarget(row)): unknown[] => [
  row.tenant_id,
  row.seq,
  row.prev,
  row.timestamp.toISOString(),
  row.action,
  row.actor_email,
  target,
  row.target_email ?? null,
  row.role ?? null,
  row.ip_address ?? null,
  row.result,
  row.detail ?? null,
  ...onBehalf(row),
];

/** Who acted for whom; entries without it hash as they did before there was any. */
const onBehalf = ({ support, api_key_id }: Pick<AuditRow, 'support' | 'api_key_id'>): unknown[] =>
  support || api_key_id ? [support ? [support.access_id, support.staff, support.approved_by] : null, api_key_id ?? null] : [];

const hmac = (key: Buffer, fields: readonly unknown[]): string => createHmac('sha256', key).update(JSON.stringify(fields)).digest('hex');
