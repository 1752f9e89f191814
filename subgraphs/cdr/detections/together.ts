import { stepsOf } from '../../../catalog/detections/rule-set.js';
import type { Sequence } from '../../../catalog/detections/compile.js';
import type { DetectionEventRow } from './records.js';
import type { Chain } from './sequence.js';

/**
 * The first events, one of each step and each another, that came as close together as a rule asks for, in whatever order: of several of one step the latest.
 * @param links in the order of time
 * @returns one event a step, in the order of the steps; none where they never came together at or after `from`
 */
export async function togetherOf(links: AsyncIterable<DetectionEventRow>, { steps, within }: Sequence, from: Date): Promise<Chain> {
  /** Of each step the latest events, newest first: no more than there are steps can be in each other's way. */
  const latest: DetectionEventRow[][] = steps.map(() => []);
  for await (const link of links) {
    for (const step of stepsOf(link)) latest[step]?.unshift(link);
    for (const own of latest) {
      own.splice(steps.length);
      while (own.length > 0 && link.at.getTime() - own.at(-1)!.at.getTime() > within) own.pop();
    }
    if (link.at < from || latest.some((own) => own.length === 0)) continue;
    const chosen = oneEach(latest);
    if (chosen !== null) return chosen;
  }
  return [];
}

/** One event of each step, no event twice; null where there are too few. */
function oneEach(candidates: readonly (readonly DetectionEventRow[])[]): DetectionEventRow[] | null {
  const stepOf = new Map<DetectionEventRow, number>();
  const place = (step: number, seen: Set<DetectionEventRow>): boolean =>
    candidates[step]!.some((link) => {
      if (seen.has(link)) return false;
      seen.add(link);
      const other = stepOf.get(link);
      if (other !== undefined && !place(other, seen)) return false;
      stepOf.set(link, step);
      return true;
    });
  if (!candidates.every((_, step) => place(step, new Set()))) return null;
  const chosen: DetectionEventRow[] = [];
  for (const [link, step] of stepOf) chosen[step] = link;
  return chosen;
}
