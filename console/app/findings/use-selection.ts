import { useEffect, useState } from 'preact/hooks';
import { keyOf, type Finding } from './finding.js';

/** Bulk triage takes so many by their ids; more are chosen by a filter. */
const MOST = 1_000;

/** The findings that are selected. Another list begins with none. */
export function useSelection(list: string) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Finding>>(new Map());
  const [isAll, setAll] = useState(false);
  const clear = () => {
    setChosen(new Map());
    setAll(false);
  };
  useEffect(clear, [list]);
  return {
    isAll,
    chosen: [...chosen.values()],
    count: chosen.size,
    has: (finding: Finding) => isAll || chosen.has(keyOf(finding)),
    toggle: (finding: Finding) => {
      const next = new Map(chosen);
      const wasIn = next.delete(keyOf(finding));
      // where all are taken each shows as ticked, so a click means away with it
      if (!wasIn && !isAll && next.size < MOST) next.set(keyOf(finding), finding);
      setAll(false);
      setChosen(next);
    },
    takeAll: () => setAll(true),
    clear,
  };
}
