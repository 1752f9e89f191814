import type { AuditLog } from '../audit/audit.js';
import type { Told } from '../audit/entry.js';
import type { BulkUpdate, TransactionOf } from '../store/query.js';
import { FindingEffects } from './effects.js';
import type { OpenFindingsServices } from './open-changes.js';
import { MoveEntries } from './move-entries.js';
import { ranked } from './sla/due-rank.js';
import { findings, type FindingRow } from './row.js';

/** Changes of stored findings of one engine, with what follows from them and their audit entries, to be written in one transaction. */
export class FindingUpdates {
  readonly moves: MoveEntries;
  private readonly updates: BulkUpdate[] = [];
  private readonly effects = new FindingEffects();

  /** @param told who changes them, as every audit entry tells it */
  constructor(
    private readonly engine: string,
    told: Omit<Told, 'target_email'>,
  ) {
    this.moves = new MoveEntries(engine, told);
  }

  set(known: Parameters<FindingEffects['moved']>[0], change: Partial<FindingRow>): void {
    this.updates.push({ _id: known._id, update: { $set: ranked(change) } });
    this.effects.moved(known, { ...known, ...change }, 'triaged');
  }

  /** @param at the time of the audit entries */
  async write(services: OpenFindingsServices, auditLog: AuditLog, tenantId: string, at: Date, transaction: TransactionOf): Promise<void> {
    const rows = services.database.tenant(tenantId).engine(this.engine).collection(findings);
    await rows.bulkUpdate(this.updates, { transaction });
    await this.effects.write(services, tenantId, this.engine, transaction);
    await auditLog.append(transaction, tenantId, at, this.moves.all);
  }
}
