import type { EngineContext } from '../../../kit/engine/context.js';
import type { Detected } from '../../../kit/engine/event-pack.js';
import type { RunStart } from '../../../kit/engine/ingest-input.js';
import { inBatches } from '../../../kit/engine/retention.js';
import { indicatorsOf, type IndicatorsAtHand } from '../indicators/known.js';
import type { IndicatorRow } from '../indicators/records.js';
import { shownOf } from './finding.js';
import { ALERT, threatShown, type ShownRow } from './records.js';

/**
 * What indicators name of resources: of what the run shows by all indicators, and of all that is shown by the indicators of the run. Either may come first. What
 * no indicator says any more that has said it passes, and so does what no report of the resource shows any more.
 */
export async function* shownByResources(
  context: EngineContext,
  { scan_run_id }: RunStart,
  atHand: IndicatorsAtHand,
): AsyncGenerator<Detected> {
  const rows = context.collection(threatShown).scan(atHand.isBrought ? {} : { scan_run_id }, { sort: { _id: 1 }, batchSize: 500 });
  for await (const batch of inBatches(rows)) {
    context.signal.throwIfAborted();
    const known = await indicatorsOf(context, batch, atHand);
    for (const [n, shown] of batch.entries()) {
      const met = known[n]!;
      const isOfRun = met.some((one) => one.scan_run_id === scan_run_id);
      if (met.length === 0 || (!isOfRun && shown.scan_run_id !== scan_run_id)) continue;
      const valid = met.filter((indicator) => isValid(indicator, shown));
      if (valid.length > 0 || isOfRun || shown.shown_by.length === 0) yield shownOf(shown, valid, met);
    }
  }
}

/** Whether an indicator holds for a time in which the value was shown: what an inventory tells is so until it tells otherwise, an alert tells of its own time. */
function isValid({ revoked, valid_from, valid_until }: IndicatorRow, { shown_by, first_at, last_at }: ShownRow): boolean {
  if (revoked || shown_by.length === 0) return false;
  const lasts = shown_by.some((by) => !by.startsWith(ALERT));
  return (valid_from === null || lasts || valid_from <= last_at) && (valid_until === null || valid_until > first_at);
}
