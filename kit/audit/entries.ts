import { MerkleTree, rootOf } from './merkle.js';
import { auditLog, type AuditRow } from './records.js';
import type { TenantDatabase } from '../store/database.js';

// Moves that the system makes in one transaction differ in nothing but the finding (decision 20): they share a row, whose `target` lists the
// findings, and each has a number of its own, from `first_seq` to `seq`. Whoever reads the log reads entries, and sees no difference.

/** One entry of an audit log, as everybody reads it. */
export type AuditEntry = Omit<AuditRow, '_id' | 'first_seq' | 'target'> & { target?: string };

/** An entry with what holds it against the hash of its row, where it shares one. */
export interface ProvenEntry extends AuditEntry {
  batch?: {
    first_seq: number;
    last_seq: number;
    /** From the entry to the root that the row's hash is of: see `Merkle tree` in docs/audit.md. */
    path: string[];
  };
}

/** Number of the first entry of a row. */
export const firstSeq = ({ seq, first_seq = seq }: Pick<AuditRow, 'seq' | 'first_seq'>): number => first_seq;

/** Number of entries of a row. */
export const sizeOf = (row: Pick<AuditRow, 'seq' | 'first_seq'>): number => row.seq - firstSeq(row) + 1;

const leafOf = (seq: number, target: string): string => JSON.stringify([seq, target]);

/** The entries of a row, in their order. */
export function entriesOf({ _id, first_seq, target, ...row }: AuditRow): AuditEntry[] {
  if (!isList(target)) return [{ ...row, ...(target !== undefined && { target }) }];
  return target.map((one, index) => ({ ...row, seq: (first_seq ?? row.seq) + index, target: one }));
}

/** The entries of a row, each with its proof. */
export function provenEntriesOf(row: AuditRow): ProvenEntry[] {
  const entries = entriesOf(row);
  if (!isList(row.target)) return entries;
  const tree = treeOf(row, row.target);
  const [first_seq, last_seq] = [firstSeq(row), row.seq];
  return entries.map((entry, index) => ({ ...entry, batch: { first_seq, last_seq, path: tree.path(index) } }));
}

/** What stands for the targets in the hash of a row: the root of a tree over its entries, where there are several. */
export const hashedTarget = (row: Pick<AuditRow, 'seq' | 'first_seq' | 'target'>): string | null | readonly unknown[] =>
  isList(row.target) ? [firstSeq(row), treeOf(row, row.target).root] : (row.target ?? null);

/** The same for a single entry, by its proof; null where that leads nowhere. */
export function hashedTargetOf({ seq, target, batch }: Pick<ProvenEntry, 'seq' | 'target' | 'batch'>): string | null | readonly unknown[] {
  if (!batch) return target ?? null;
  const { first_seq, last_seq, path } = batch;
  return [first_seq, rootOf(leafOf(seq, target ?? ''), seq - first_seq, last_seq - first_seq + 1, path)];
}

const treeOf = (row: Pick<AuditRow, 'seq' | 'first_seq'>, targets: readonly string[]): MerkleTree =>
  new MerkleTree(targets.map((target, index) => leafOf(firstSeq(row) + index, target)));

const isList = (target: AuditRow['target']): target is readonly string[] => Array.isArray(target);

/** Rows that one answer of the store brings: those that many entries share have some 50 bytes an entry. */
const ROWS = 200;

/** The rows that hold the entries behind number `after`, up to number `last`, in their order. The first and the last may hold entries beyond. */
export async function* scanRows(tenant: TenantDatabase, after: number, last = Number.MAX_SAFE_INTEGER): AsyncGenerator<AuditRow> {
  const rows = tenant.collection(auditLog).scan({ seq: { $gt: after } }, { sort: { seq: 1 }, batchSize: ROWS });
  for await (const row of rows) {
    if (firstSeq(row) > last) return;
    yield row;
  }
}

/** The entries behind number `after`, up to number `last`, in their order, each with its proof. */
export async function* scanEntries(tenant: TenantDatabase, after: number, last = Number.MAX_SAFE_INTEGER): AsyncGenerator<ProvenEntry> {
  for await (const row of scanRows(tenant, after, last))
    for (const entry of provenEntriesOf(row)) if (entry.seq > after && entry.seq <= last) yield entry;
}
