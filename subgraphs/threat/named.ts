import type { IngestSinks } from '../../kit/engine/context.js';
import { indicatorsAtHand } from './indicators/known.js';
import { sighted } from './indicators/match.js';
import { shownByResources } from './resources/match.js';

/** What indicators name: of events, and of what is shown of resources. */
export const named: IngestSinks['detected'] = async function* (context, run) {
  const atHand = await indicatorsAtHand(context, run.scan_run_id);
  if (atHand === null) return;
  yield* sighted(context, run, atHand);
  yield* shownByResources(context, run, atHand);
};
