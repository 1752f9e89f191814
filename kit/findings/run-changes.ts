import type { FindingStatus, Severity } from '../../schema/model.js';
import { defineEngineCollection, type RowOf } from '../store/collection.js';
import type { EngineDatabase, TenantDatabase } from '../store/database.js';
import { date, number, object, oneOf, text } from '../store/fields.js';
import type { BulkUpdate, TransactionOf } from '../store/query.js';
import type { IngestRun } from '../engine/finding-sink.js';
import type { StoredFacts } from './merge.js';
import { severityRank } from './risk-score.js';

/** What a run does to a finding that there was: what it opened, the finding itself tells. */
export const RUN_CHANGES = ['regressed', 'changed', 'resolved'] as const;
export type RunChange = (typeof RUN_CHANGES)[number];

/** How a finding stood before the run. */
export interface FindingBefore {
  status: FindingStatus;
  severity: Severity;
}

const SCOPE = { tenant_id: 1, engine: 1 } as const;

/** What runs did to the findings of an engine; `_id` is `<tenant_id>|<engine>|<finding_id>|<scan_run_id>`, so that a batch that comes again doubles nothing. */
export const findingRunChanges = defineEngineCollection(
  'finding_run_changes',
  {
    finding_id: text,
    scan_run_id: text,
    change: oneOf(...RUN_CHANGES),
    /** Of the finding as the run left it: 5 critical ... 1 info. */
    severity_rank: number,
    before: object<FindingBefore>(),
    at: date,
  },
  [
    { key: { ...SCOPE, scan_run_id: 1, change: 1, severity_rank: -1, finding_id: 1 } },
    { key: { ...SCOPE, finding_id: 1 } },
    { key: { ...SCOPE, at: 1 } },
  ],
);
export type FindingRunChangeRow = RowOf<typeof findingRunChanges>;

/** The changes of one batch of a run, written in its transaction. */
export class RunChanges {
  private readonly updates: BulkUpdate[] = [];

  constructor(private readonly run: IngestRun) {}

  note({ _id, finding_id, status, severity }: StoredFacts, change: RunChange, after: Severity = severity): void {
    const { scan_run_id, at } = this.run;
    const row = { finding_id, scan_run_id, at, severity_rank: severityRank(after), before: { status, severity } };
    // a finding that came back, or ended, did more than change
    const update = change === 'changed' ? { $setOnInsert: { ...row, change } } : { $set: { change }, $setOnInsert: row };
    this.updates.push({ _id: `${_id}|${scan_run_id}`, update, upsert: true });
  }

  async write(database: EngineDatabase, transaction: TransactionOf): Promise<void> {
    if (this.updates.length > 0) await database.collection(findingRunChanges).bulkUpdate(this.updates, { transaction });
  }
}

/** Rows that one round removes. */
const BATCH = 1_000;

/** Removes what runs did before a moment. */
export async function forgetRunChanges(tenant: TenantDatabase, engines: readonly string[], before: Date): Promise<void> {
  for (const engine of engines) {
    const rows = tenant.engine(engine).collection(findingRunChanges);
    for (let full = true; full;) {
      const old = await rows.find({ at: { $lt: before } }, { fields: ['_id'], limit: BATCH });
      if (old.length > 0) await rows.remove({ _id: { $in: old.map(({ _id }) => _id) } });
      full = old.length === BATCH;
    }
  }
}
