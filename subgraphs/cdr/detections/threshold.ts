import type { DetectionAbout } from '../../../catalog/detections/compile.js';
import { valuesOf } from '../../../catalog/detections/rule-set.js';
import type { DetectionEventRow } from './records.js';

/** Events that are looked at together. */
const MOST_HELD = 10_000;

/**
 * The first events, or those with so many different values, that came as close together as a rule asks for.
 * @param links of one detection, in the order of time
 * @returns none where there are too few at any time
 */
export async function burstOf(
  links: AsyncIterable<DetectionEventRow>,
  { least, within, ofValues }: NonNullable<DetectionAbout['threshold']>,
): Promise<DetectionEventRow[]> {
  const held: DetectionEventRow[] = [];
  /** Of each value, how often it is among those that are held. */
  const values = new Map<string, number>();
  for await (const link of links) {
    if (ofValues && link.value === undefined) continue;
    held.push(link);
    for (const value of ofValues ? valuesOf(link) : []) values.set(value, (values.get(value) ?? 0) + 1);
    while (link.at.getTime() - held[0]!.at.getTime() > within || held.length > MOST_HELD) {
      const gone = held.shift()!;
      for (const value of ofValues ? valuesOf(gone) : []) {
        const left = values.get(value)! - 1;
        if (left > 0) values.set(value, left);
        else values.delete(value);
      }
    }
    if ((ofValues ? values.size : held.length) >= least) return held;
  }
  return [];
}
