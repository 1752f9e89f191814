import { useEffect, useState } from 'preact/hooks';
import type { RunState } from '../../../schema/model.js';
import { isFinal, runPath, type ScanRun } from './run.js';

/** What an event of a run tells; its stages overlap. */
export interface RunEvent extends Pick<ScanRun, 'state' | 'counts'> {
  readonly stages: readonly { readonly stage: string; readonly state: RunState }[];
}

/**
 * Follows a run by its events until it is final. A browser has few connections to a server, so a page follows few at a time.
 * @param run null where there is nothing to follow
 * @param over is called with its last event
 */
export function useLiveRun(run: Pick<ScanRun, 'scan_run_id' | 'state'> | null, over: (event: RunEvent) => void): RunEvent | null {
  const [told, setTold] = useState<{ readonly id: string; readonly event: RunEvent } | null>(null);
  const id = run && !isFinal(run.state) ? run.scan_run_id : null;
  useEffect(() => {
    if (id === null) return undefined;
    const source = new EventSource(`${runPath(id)}/events`);
    const take = ({ data }: MessageEvent<string>) => {
      const next = JSON.parse(data) as RunEvent;
      setTold({ id, event: next });
      if (!isFinal(next.state)) return;
      source.close();
      over(next);
    };
    source.addEventListener('state', take);
    source.addEventListener('progress', take);
    return () => source.close();
  }, [id]);
  return told && told.id === id ? told.event : null;
}
