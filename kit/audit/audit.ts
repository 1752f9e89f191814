import { mongo } from 'mongoose';
import { auditHeads, auditLog, type AuditHead, type AuditRow } from './records.js';
import { AuditSeals, GENESIS } from './seals.js';
import { proveEntry, verifyChain, verifyChainBehind, type ChainPlace, type ChainVerdict } from './verify.js';
import { BoundedCache } from '../base/bounded-cache.js';
import { repeatOnDuplicate, type Database, type TenantDatabase } from '../store/database.js';
import type { MasterKey } from '../keys/master-key.js';
import { addToOutbox } from '../work/outbox.js';
import type { TransactionOf } from '../store/query.js';
import type { AuditInput } from './entry.js';
import type { AuditEntry } from './entries.js';

export { auditHeads, auditLog, type AuditRow } from './records.js';

type Head = Pick<AuditHead, 'seq' | 'hash' | 'seal'>;

/** Heads that a process remembers: one a tenant. */
const REMEMBERED = 10_000;
const lastHeads = new WeakMap<Database, BoundedCache<Head>>();
function lastHeadsOf(database: Database): BoundedCache<Head> {
  const known = lastHeads.get(database) ?? new BoundedCache<Head>(REMEMBERED);
  lastHeads.set(database, known);
  return known;
}

/** Writes and checks the append-only hash chain of each tenant (decision 29). */
export class AuditLog {
  readonly seals: AuditSeals;

  constructor(
    private readonly database: Database,
    masterKey: MasterKey,
  ) {
    this.seals = new AuditSeals(masterKey);
  }

  /**
   * Appends entries to the tenant's chain within `transaction`: when they cannot be written, neither is the action.
   * Entries that differ in nothing but their target share a row, with a number each.
   * Two transactions of one tenant meet at the chain's head, and the later one is repeated.
   */
  async append(transaction: TransactionOf, tenantId: string, timestamp: Date, entries: readonly AuditInput[]): Promise<void> {
    if (entries.length === 0) return;
    const tenant = this.database.tenant(tenantId);
    const heads = tenant.collection(auditHeads);
    const known = this.knownHead(tenantId);
    let written = known && this.chain(tenantId, known, timestamp, entries);
    // where nobody else has written since, the head is moved on without being read
    const moved = written && (await heads.update({ _id: tenantId, ...known }, { $set: written.head }, { transaction })).matched === 1;
    if (!written || !moved) {
      written = this.chain(tenantId, await this.end(tenant, transaction, entries[0]!), timestamp, entries);
      // two first entries of a tenant at once: the later one starts again, as for any other conflict at the head
      await heads.update({ _id: tenantId }, { $set: written.head }, { transaction, upsert: true }).catch(repeatOnDuplicate);
    }
    const { rows, head, first_seq } = written;
    lastHeadsOf(this.database).set(tenantId, head);
    await tenant.collection(auditLog).insertMany(rows, { transaction });
    await addToOutbox(this.database, transaction, { tenant_id: tenantId, first_seq, last_seq: head.seq, created_at: timestamp });
  }

  /** Walks the tenant's chain from its oldest kept entry to its head; see `verifyChain`. */
  verify(tenantId: string): Promise<ChainVerdict> {
    return verifyChain(this.database.tenant(tenantId), this.seals);
  }

  /** Walks what follows on a place of the tenant's chain; see `verifyChainBehind`. */
  verifyBehind(tenantId: string, from: ChainPlace): Promise<{ verdict: ChainVerdict; place: ChainPlace }> {
    return verifyChainBehind(this.database.tenant(tenantId), this.seals, from);
  }

  /** The entry of a number, alone or among those of its row; see `proveEntry`. */
  prove(tenantId: string, seq: number): Promise<{ entry: AuditEntry; holds: boolean } | null> {
    return proveEntry(this.database.tenant(tenantId), this.seals, seq);
  }

  /** The head that this process wrote last, whether it was committed or not; what the store holds decides whether it counts. */
  private knownHead(tenantId: string): Head | undefined {
    const head = lastHeadsOf(this.database).get(tenantId);
    return head && this.seals.holds(head.seal, this.seals.head({ tenant_id: tenantId, ...head })) ? head : undefined;
  }

  /** The rows of `entries` behind `end`, and the head that they make. */
  private chain(tenantId: string, end: Pick<Head, 'seq' | 'hash'>, timestamp: Date, entries: readonly AuditInput[]) {
    let { seq, hash } = end;
    const rows = entries.map((entry): AuditRow => {
      const place = placeBehind(seq, entry);
      seq = place.seq;
      const row = { _id: `${tenantId}|${seq}`, tenant_id: tenantId, ...place, timestamp, prev: hash, ...asStored(entry) };
      hash = this.seals.entry(row);
      return { ...row, hash };
    });
    const head: Head = { seq, hash, seal: this.seals.head({ tenant_id: tenantId, seq, hash }) };
    return { rows, head, first_seq: end.seq + 1 };
  }

  /**
   * Where the next entries go, of which `first` is the first one. Behind a head that was removed or changed they go on past a gap of one: the
   * tenant can still work, and what was done to the chain is never made whole by writing on. A log begins with the making of its tenant; one
   * that is empty later than that was removed.
   */
  private async end(tenant: TenantDatabase, transaction: TransactionOf, first: AuditInput): Promise<{ seq: number; hash: string }> {
    const head = await tenant.collection(auditHeads).findOne({ _id: tenant.tenantId }, { transaction });
    if (head && this.seals.holds(head.seal, this.seals.head(head))) return head;
    const last = await tenant.collection(auditLog).findOne({}, { sort: { seq: -1 }, fields: ['seq', 'hash'], transaction });
    if (!head && !last && first.action === 'tenant.create') return { seq: 0, hash: GENESIS };
    return { seq: (last?.seq ?? 0) + 1, hash: last?.hash ?? GENESIS };
  }
}

/** The numbers of an entry behind `seq`, or of several that share a row. */
function placeBehind(seq: number, { target }: AuditInput): Pick<AuditRow, 'seq' | 'first_seq'> {
  return Array.isArray(target) ? { seq: seq + target.length, first_seq: seq + 1 } : { seq: seq + 1 };
}

/**
 * An entry as the store will give it back. A text may hold what UTF-8 cannot, such as half of a surrogate pair, which the store replaces; the
 * hash is of what stays.
 */
const asStored = (entry: AuditInput): AuditInput =>
  mongo.BSON.deserialize(mongo.BSON.serialize(entry, { ignoreUndefined: true })) as AuditInput;
