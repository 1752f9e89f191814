import { repeatOnDuplicate, type Database } from '../../store/database.js';
import type { TransactionOf } from '../../store/query.js';
import type { FindingRow } from '../row.js';
import { CHANGE_KINDS, feedHeads, findingFeed, type ChangeKind, type FeedEntry } from './records.js';

/** What the feed looks at in a finding. */
export const FEED_FIELDS = ['finding_id', 'status', 'severity', 'version', 'regressed_at'] as const;
export type FedFinding = Pick<FindingRow, (typeof FEED_FIELDS)[number]>;

/** What numbers and times of changes come from. */
export interface FeedServices {
  readonly database: Database;
  readonly clock: { now(): Date };
}

const rank = (kind: ChangeKind): number => CHANGE_KINDS.indexOf(kind);

/** What a change of a finding is called. @param otherwise where it is neither resolved nor back by a run */
function kindOf(before: FedFinding, after: FedFinding, otherwise: 'changed' | 'triaged'): ChangeKind {
  if (after.status === 'RESOLVED' && before.status !== 'RESOLVED') return 'resolved';
  if (after.regressed_at && after.regressed_at.getTime() !== before.regressed_at?.getTime()) return 'regressed';
  return otherwise;
}

/** What one transaction does to the findings of one engine, as the feed of changes will tell it: one entry a finding. */
export class FeedChanges {
  private readonly entries = new Map<string, { kind: ChangeKind; before: FedFinding | null; after: FedFinding }>();

  opened(row: FedFinding): void {
    this.note('opened', null, row);
  }

  removed(row: FedFinding): void {
    this.note('removed', row, row);
  }

  /** Takes note of what a person can see of a change, which is what its version counts. */
  changed(before: FedFinding, after: FedFinding, otherwise: 'changed' | 'triaged' = 'changed'): void {
    if (after.version !== before.version) this.note(kindOf(before, after, otherwise), before, after);
  }

  /** Takes note of a finding that comes from another engine. */
  cameOver(row: FedFinding): void {
    this.note('changed', null, row);
  }

  /** Writes it in the transaction, as the last but the audit log: the tenant's transactions meet at the head of the feed. */
  async write({ database, clock }: FeedServices, tenantId: string, engine: string, transaction: TransactionOf): Promise<void> {
    if (this.entries.size === 0) return;
    const tenant = database.tenant(tenantId);
    const moved = { $inc: { seq: this.entries.size }, $setOnInsert: { removed_to: 0 } };
    const options = { upsert: true, returnNew: true, transaction };
    const head = await tenant.collection(feedHeads).findAndUpdate({ _id: tenantId }, moved, options).catch(repeatOnDuplicate);
    const { seq } = head!;
    const row = { _id: `${tenantId}|${seq}`, tenant_id: tenantId, engine, seq, at: clock.now(), entries: this.all };
    await tenant.engine(engine).collection(findingFeed).insert(row, { transaction });
  }

  private note(kind: ChangeKind, before: FedFinding | null, after: FedFinding): void {
    const known = this.entries.get(after.finding_id);
    if (!known) this.entries.set(after.finding_id, { kind, before, after });
    else this.entries.set(after.finding_id, { ...known, after, kind: rank(kind) > rank(known.kind) ? kind : known.kind });
  }

  private get all(): FeedEntry[] {
    return [...this.entries.values()].map(({ kind, before, after: { finding_id: id, status, severity, version } }) => ({
      id,
      kind,
      status,
      severity,
      version,
      ...(before && before.status !== status && { from_status: before.status }),
      ...(before && before.severity !== severity && { from_severity: before.severity }),
    }));
  }
}
