import { findingRowId, type FindingRow } from './row.js';

/** A finding as it stands under another engine: its id stays, and so does everything that people did (decision 37). */
export function movedTo(engine: string, row: FindingRow): FindingRow {
  const { owner_unconfirmed: _settled, ...kept } = row;
  return {
    ...kept,
    _id: findingRowId(row.tenant_id, engine, row.finding_id),
    engine,
    former_engines: [...row.former_engines, row.engine],
  };
}
