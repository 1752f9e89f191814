import type { RunCounts } from '../../kit/engine/finding-sink.js';
import type { RunProgress, RunRecordCounts } from './records.js';

/** What a run did to the findings of all engines, beside the records that it read. */
export async function countRun(
  progress: RunProgress,
  ofEngines: readonly Promise<RunCounts>[],
): Promise<{ counts: RunRecordCounts; total_findings: number }> {
  const counts = { ...progress, new: 0, updated: 0, resolved: 0, regressed: 0 };
  let total_findings = 0;
  for (const { seen, ...done } of await Promise.all(ofEngines)) {
    for (const key of ['new', 'updated', 'resolved', 'regressed'] as const) counts[key] += done[key];
    total_findings += seen;
  }
  return { counts, total_findings };
}
