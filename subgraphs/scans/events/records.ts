import type { RunState } from '../../../schema/model.js';
import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, list, nullable, number, object, oneOf, text, textOf } from '../../../kit/store/fields.js';
import type { RunRecordCounts, RunStage, ScanRunRow } from '../records.js';

/** What became of a scan run, step by step; `_id` is `<tenant_id>|<scan_run_id>|<position>`. */
export const scanRunEvents = defineCollection(
  'scan_run_events',
  {
    scan_run_id: text,
    /** From 1, without a gap. */
    position: number,
    type: oneOf('state', 'progress'),
    at: date,
    state: textOf<RunState>(),
    counts: object<RunRecordCounts>(),
    stages: list(object<RunStage>()),
    total_findings: nullable(number),
  },
  [{ key: { tenant_id: 1, scan_run_id: 1, position: 1 }, options: { unique: true } }],
);
export type ScanRunEventRow = RowOf<typeof scanRunEvents>;

/** What a run is at the moment, as an event. */
export function eventOf(run: ScanRunRow, type: ScanRunEventRow['type'], position: number, at: Date): ScanRunEventRow {
  const { tenant_id, scan_run_id, state, counts, stages = [], total_findings } = run;
  return { _id: `${run._id}|${position}`, tenant_id, scan_run_id, position, type, at, state, counts, stages, total_findings };
}
