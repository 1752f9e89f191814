import type { EngineContext } from '../../kit/engine/context.js';
import { scanRuns, type ScanRunRow } from './records.js';

/** How often a worker looks whether its run was cancelled, in milliseconds. */
const WATCH_EVERY = 500;

/** The run was cancelled by a person while its worker was on it. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

export interface CancelWatch {
  cancelled: boolean;
  /** Ends what the run is at, in the middle of a resource, too, when a person has stopped it or the worker loses it. */
  readonly signal: AbortSignal;
  /** @throws Cancelled once the run was seen to be cancelled */
  check(): void;
  stop(): void;
}

/** Looks every now and then whether a person has cancelled the run. */
export function watchForCancel(context: EngineContext, run: Pick<ScanRunRow, '_id' | 'state'>): CancelWatch {
  const stopped = new AbortController();
  const look = async () => {
    const row = await context.collection(scanRuns).findOne({ _id: run._id }, { fields: ['state'] });
    if (row?.state !== 'CANCELLING') return;
    watch.cancelled = true;
    stopped.abort(new Cancelled());
  };
  // a store that is away for a moment is asked again
  const timer = setInterval(() => void look().catch(() => undefined), WATCH_EVERY);
  const watch: CancelWatch = {
    cancelled: run.state === 'CANCELLING',
    signal: AbortSignal.any([stopped.signal, context.signal]),
    check() {
      if (watch.cancelled) throw new Cancelled();
    },
    stop: () => clearInterval(timer),
  };
  return watch;
}
