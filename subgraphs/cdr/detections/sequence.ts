import { stepsOf } from '../../../catalog/detections/rule-set.js';
import type { Sequence } from '../../../catalog/detections/compile.js';
import type { DetectionEventRow } from './records.js';

/** Events of one time that are looked at. */
const MOST_AT_ONCE = 1_000;

/** The events by which a sequence came to its end, one a step. */
export type Chain = readonly DetectionEventRow[];

/**
 * The first events that came in the order of the steps, the last no later after the first than the sequence allows; of several beginnings the latest. What has one time
 * may have come in either order: logs tell seconds.
 * @param links in the order of time
 * @returns none where the sequence never came to its end at or after `from`
 */
export async function sequenceOf(
  links: AsyncIterable<DetectionEventRow>,
  { steps, within }: Pick<Sequence, 'steps' | 'within'>,
  from: Date,
): Promise<Chain> {
  /** Of each number of steps the chain that began last. */
  const chains: (Chain | undefined)[] = steps.map(() => undefined);
  for await (const moment of byTime(links)) {
    for (const { link, step } of orderWithin(moment)) {
      const before = step === 0 ? [] : chains[step - 1];
      if (before === undefined || before.includes(link)) continue;
      const chain = [...before, link];
      const began = chain[0]!.at.getTime();
      if (link.at.getTime() - began > within) continue;
      if (step === steps.length - 1) {
        if (link.at >= from) return chain;
      } else if (began >= (chains[step]?.[0]?.at.getTime() ?? 0)) chains[step] = chain;
    }
  }
  return [];
}

/** What happened at one time, step by step; an event that may be several steps comes once for each, the last first, so that it follows nobody but others. */
function orderWithin(moment: readonly DetectionEventRow[]): { link: DetectionEventRow; step: number }[] {
  return moment
    .map((link) => ({ link, own: stepsOf(link).sort((one, other) => other - one) }))
    .sort((one, other) => (one.own.at(-1) ?? 0) - (other.own.at(-1) ?? 0))
    .flatMap(({ link, own }) => own.map((step) => ({ link, step })));
}

async function* byTime(links: AsyncIterable<DetectionEventRow>): AsyncGenerator<DetectionEventRow[]> {
  let moment: DetectionEventRow[] = [];
  for await (const link of links) {
    if (moment[0]?.at.getTime() === link.at.getTime()) {
      if (moment.length < MOST_AT_ONCE) moment.push(link);
      continue;
    }
    if (moment.length > 0) yield moment;
    moment = [link];
  }
  if (moment.length > 0) yield moment;
}
