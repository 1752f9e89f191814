import { createHmac } from 'node:crypto';
import { mongo } from 'mongoose';
import { defineCollection } from './collection.js';
import type { Database } from './database.js';
import type { MasterKey } from './master-key.js';
import type { TransactionOf } from './tenant-collection.js';

/** Every action that is ever written (decision 29: `noun.verb`). */
export const AUDIT_ACTIONS = [
  'user.login',
  'user.logout',
  'user.invite',
  'user.remove',
  'user.switch_tenant',
  'role.change',
  'sso.update',
  'sso.test',
  'scan.trigger',
  'scan.cancel',
  'apikey.create',
  'apikey.delete',
  'finding.open',
  'finding.status',
  'finding.suppress',
  'finding.resolve',
  'finding.regress',
  'score.export',
  'rule.create',
  'rule.update',
  'rule.retire',
  'rule.settings',
  'framework.create',
  'framework.update',
  'framework.retire',
  'attestation.create',
  'tenant.create',
  'tenant.update',
  'support.approve',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** What the doer of an action says of it. */
export interface AuditInput {
  action: AuditAction;
  actor_email: string;
  /** The thing acted on: `finding:check/<id>`, `user:<id>`, `scan_run:<id>`. */
  target?: string;
  target_email?: string;
  role?: string;
  ip_address?: string;
  result: 'success' | 'failure';
  detail?: Record<string, unknown>;
}

export interface AuditRow extends AuditInput {
  _id: string;
  tenant_id: string;
  seq: number;
  timestamp: Date;
  prev: string;
  hash: string;
}

interface AuditHead {
  _id: string;
  tenant_id: string;
  seq: number;
  hash: string;
}

export const auditLog = defineCollection<AuditRow>(
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
    prev: String,
    hash: String,
  },
  [
    { key: { tenant_id: 1, seq: -1 }, options: { unique: true } },
    { key: { tenant_id: 1, action: 1, seq: -1 } },
    { key: { tenant_id: 1, target: 1, seq: -1 } },
  ],
);

export const auditHeads = defineCollection<AuditHead>('audit_heads', { seq: Number, hash: String });

/** `prev` of a tenant's first entry. */
const GENESIS = '0'.repeat(64);

/** The text that an entry's hash covers: every field but the hash, in a fixed order. */
const sealed = (row: Omit<AuditRow, 'hash'>): string =>
  JSON.stringify([
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
  ]);

/** Two first rows of a thing at once: the later transaction is told to start again, as for any other conflict, and finds the row. */
export function repeatOnDuplicate(error: unknown): never {
  if (error instanceof mongo.MongoServerError && error.code === 11_000) error.addErrorLabel('TransientTransactionError');
  throw error;
}

/** Writes and checks the append-only hash chain of each tenant (decision 29). */
export class AuditLog {
  private readonly key: Buffer;

  constructor(
    private readonly database: Database,
    masterKey: MasterKey,
  ) {
    this.key = masterKey.derive('audit');
  }

  /**
   * Appends entries to the tenant's chain within `transaction`: when they cannot be written, neither is the action.
   * Two transactions of one tenant meet at the chain's head, and the later one is repeated.
   */
  async append(transaction: TransactionOf, tenantId: string, timestamp: Date, entries: readonly AuditInput[]): Promise<void> {
    if (entries.length === 0) return;
    const tenant = this.database.tenant(tenantId);
    const heads = tenant.collection(auditHeads);
    const head = await heads.findOne({ _id: tenantId }, { transaction });
    let { seq, hash } = head ?? { seq: 0, hash: GENESIS };
    const rows = entries.map((entry): AuditRow => {
      const row = { _id: `${tenantId}|${++seq}`, tenant_id: tenantId, seq, timestamp, prev: hash, ...entry };
      hash = this.hash(row);
      return { ...row, hash };
    });
    await heads.update({ _id: tenantId }, { $set: { seq, hash } }, { transaction, upsert: true }).catch(repeatOnDuplicate);
    await tenant.collection(auditLog).insertMany(rows, { transaction });
  }

  /** The first entry that was edited, removed, reordered or cut off, or null when the chain holds. */
  async verify(tenantId: string): Promise<{ entries: number; broken: { seq: number; reason: string } | null }> {
    const tenant = this.database.tenant(tenantId);
    let [entries, prev] = [0, GENESIS];
    for await (const row of tenant.collection(auditLog).scan({}, { sort: { seq: 1 }, batchSize: 1000 })) {
      const seq = entries + 1;
      if (row.seq !== seq) return { entries, broken: { seq, reason: `entry ${seq} is missing` } };
      if (row.prev !== prev || row.hash !== this.hash(row)) return { entries, broken: { seq, reason: `entry ${seq} was changed` } };
      prev = row.hash;
      entries = seq;
    }
    const head = await tenant.collection(auditHeads).findOne({});
    if ((head?.seq ?? 0) !== entries || (head?.hash ?? GENESIS) !== prev)
      return { entries, broken: { seq: entries + 1, reason: 'the end of the chain was cut off' } };
    return { entries, broken: null };
  }

  private hash(row: Omit<AuditRow, 'hash'>): string {
    return createHmac('sha256', this.key).update(sealed(row)).digest('hex');
  }
}
