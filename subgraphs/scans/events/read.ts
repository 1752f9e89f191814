import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { FINAL_STATES } from '../records.js';
import { findScanRun } from '../service.js';
import { eventOf, scanRunEvents } from './records.js';

/** Events of one answer. */
const MOST = 200;

/**
 * What became of a run after a position, oldest first.
 * @returns null when the tenant has no such run; `is_final` once nothing follows any more
 * @throws PalisadeError BAD_REQUEST for a position that is none
 */
export async function readRunEvents(context: EngineContext, scanRunId: string, after: number) {
  if (after < 0) throw badRequest('Last-Event-ID must be the position of an event');
  const run = await findScanRun(context, scanRunId);
  if (!run) return null;
  const isFinal = FINAL_STATES.includes(run.state);
  // of a run that was made before events were kept, its present state is all that there is
  if (run.events === undefined)
    return { items: after < 1 ? [eventOf(run, 'state', 1, run.completed_at ?? run.created_at)] : [], is_final: isFinal };
  const items = await context
    .collection(scanRunEvents)
    .find({ scan_run_id: scanRunId, position: { $gt: after } }, { sort: { position: 1 }, limit: MOST });
  const last = items.at(-1)?.position ?? after;
  return { items, is_final: isFinal && last >= run.events };
}
