import type { CounterChanges } from '../../kit/findings/counter-changes.js';
import { findings, type FindingRow } from '../../kit/findings/row.js';
import type { Database, EngineDatabase } from '../../kit/store/database.js';

/** Findings that come, become others, and go. */
export interface FindingChanges {
  readonly added: readonly FindingRow[];
  readonly updates: readonly { readonly row: FindingRow; readonly to: FindingRow }[];
  readonly gone: readonly FindingRow[];
}

/** Writes changes of findings with those of their counters in one transaction. @param known the model that follows, by `_id` */
export async function writeFindings(
  database: Database,
  own: EngineDatabase,
  { added, updates, gone }: FindingChanges,
  counters: CounterChanges,
  known: Map<string, FindingRow>,
): Promise<void> {
  const rows = own.collection(findings);
  await database.transaction(async (transaction) => {
    await rows.insertMany(added, { transaction });
    for (const { row, to } of updates) {
      const { _id, tenant_id: _tenant, engine: _engine, ...changed } = to;
      await rows.update({ _id: row._id }, { $set: changed }, { transaction });
    }
    await rows.remove({ _id: { $in: gone.map(({ _id }) => _id) } }, { transaction });
    await counters.write(own, transaction);
  });
  for (const row of added) known.set(row._id, row);
  for (const { to } of updates) known.set(to._id, to);
  for (const { _id } of gone) known.delete(_id);
}
