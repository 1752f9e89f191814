import type { AuditLog } from '../audit/audit.js';
import type { Told } from '../audit/entry.js';
import type { Database } from '../store/database.js';
import type { BulkUpdate, TransactionOf } from '../store/query.js';
import { CounterChanges } from './counter-changes.js';
import type { CountedRow } from './counters.js';
import type { JudgedFinding } from './rule-tallies.js';
import { MoveEntries } from './move-entries.js';
import { findings, type FindingRow } from './row.js';
import { VerdictChanges } from './verdict-changes.js';

/** Changes of stored findings of one engine, with their counters and audit entries, to be written in one transaction. */
export class FindingUpdates {
  readonly moves: MoveEntries;
  private readonly updates: BulkUpdate[] = [];
  private readonly counters = new CounterChanges();
  private readonly verdicts = new VerdictChanges();

  /** @param told who changes them, as every audit entry tells it */
  constructor(
    private readonly engine: string,
    told: Omit<Told, 'target_email'>,
  ) {
    this.moves = new MoveEntries(engine, told);
  }

  set(known: CountedRow & JudgedFinding, change: Partial<FindingRow>): void {
    this.updates.push({ _id: known._id, update: { $set: change } });
    const changed = { ...known, ...change };
    this.counters.move(known, changed);
    this.verdicts.move(known, changed);
  }

  /** @param at the time of the audit entries */
  async write(database: Database, auditLog: AuditLog, tenantId: string, at: Date, transaction: TransactionOf): Promise<void> {
    const scoped = database.tenant(tenantId).engine(this.engine);
    await scoped.collection(findings).bulkUpdate(this.updates, { transaction });
    await this.counters.write(scoped, transaction);
    await this.verdicts.write(database, tenantId, transaction);
    await auditLog.append(transaction, tenantId, at, this.moves.all);
  }
}
