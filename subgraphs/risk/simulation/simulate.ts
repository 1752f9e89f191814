import { hashOf, placeOf, poissonAt, Stream, uniformAt } from './draws.js';
import { drawLoss, type LossModel } from './loss.js';

/** A step that an attacker may take. */
export interface RiskStep {
  readonly from: number;
  readonly to: number;
  /** Of success in one serious attempt, given that the attacker stands at its start. */
  readonly probability: number;
  /** What decides it: steps of one cause succeed together, as far as their probabilities let them. */
  readonly cause: string;
  /** Of a step from the outside (node 0): the class of entry, a place in `frequencies`. */
  readonly entry?: number;
}

export interface RiskJewel {
  readonly node: number;
  /** What its draws go by: the same in every estate that has it. */
  readonly key: string;
  /** What its loss costs; null where nobody has given a figure: it is lost, and not told in money. */
  readonly loss: LossModel | null;
}

/** The ways of an estate, and what they lead to. Node 0 is the outside. */
export interface RiskGraph {
  readonly nodes: number;
  readonly steps: readonly RiskStep[];
  readonly jewels: readonly RiskJewel[];
  /** Serious attempts a year by class of entry. */
  readonly frequencies: readonly number[];
}

/** What became of many years. */
export interface SimulatedYears {
  /** The loss of each year. */
  readonly losses: Float64Array;
  /** Jewel and class of entry -> years in which it was lost, and what that cost in all; a row a jewel, a column a class. */
  readonly years: Float64Array;
  readonly sums: Float64Array;
}

const EVENTS = hashOf('events');
const LOSS = hashOf('loss');

/**
 * Simulates years: in each, attempts by class of entry; in each attempt every cause is drawn once, and what is reached is lost.
 * @param seed the same seed, estate and draws give the same years
 * @param once whether there is one attempt a year of each class, for what follows from an attempt
 * @param slice called after each year; what it returns is waited for
 */
export async function simulate(
  { nodes, steps, jewels, frequencies }: RiskGraph,
  { seed, draws, once = false }: { seed: number; draws: number; once?: boolean },
  slice: () => Promise<void> | void = () => undefined,
): Promise<SimulatedYears> {
  const { starts, order } = byStart(nodes, steps);
  const causes = Int32Array.from(steps, ({ cause }) => hashOf(cause));
  const keys = Int32Array.from(jewels, ({ key }) => hashOf(key));
  const jewelAt = new Int32Array(nodes).fill(-1);
  for (const [n, { node }] of jewels.entries()) jewelAt[node] = n;
  const losses = new Float64Array(draws);
  const years = new Float64Array(jewels.length * frequencies.length);
  const sums = new Float64Array(jewels.length * frequencies.length);
  const reached = new Int32Array(nodes).fill(-1);
  const lostIn = new Int32Array(years.length).fill(-1);
  const stack = new Int32Array(nodes);
  let attempt = 0;
  for (let year = 0; year < draws; year++) {
    for (const [entry, mean] of frequencies.entries()) {
      const count = once ? 1 : poissonAt(placeOf(seed, EVENTS, year, entry, 0), mean);
      for (let n = 0; n < count; n++, attempt++) {
        let height = 1;
        stack[0] = 0;
        reached[0] = attempt;
        while (height > 0) {
          const node = stack[--height]!;
          const jewel = jewelAt[node]!;
          if (jewel >= 0) {
            const cell = jewel * frequencies.length + entry;
            const { loss } = jewels[jewel]!;
            const cost = loss ? drawLoss(new Stream(placeOf(seed, LOSS, year, entry * 4_096 + n, keys[jewel]!)), loss) : 0;
            losses[year]! += cost;
            sums[cell]! += cost;
            if (lostIn[cell] !== year) {
              lostIn[cell] = year;
              years[cell]!++;
            }
          }
          for (let at = starts[node]!; at < starts[node + 1]!; at++) {
            const step = steps[order[at]!]!;
            if (reached[step.to] === attempt || (step.entry !== undefined && step.entry !== entry)) continue;
            if (uniformAt(placeOf(seed, causes[order[at]!]!, year, entry, n)) >= step.probability) continue;
            reached[step.to] = attempt;
            stack[height++] = step.to;
          }
        }
      }
    }
    await slice();
  }
  return { losses, years, sums };
}

function byStart(nodes: number, steps: readonly RiskStep[]): { starts: Int32Array; order: Int32Array } {
  const starts = new Int32Array(nodes + 1);
  for (const { from } of steps) starts[from + 1]!++;
  for (let node = 0; node < nodes; node++) starts[node + 1]! += starts[node]!;
  const next = starts.slice(0, nodes);
  const order = new Int32Array(steps.length);
  for (const [n, { from }] of steps.entries()) order[next[from]!++] = n;
  return { starts, order };
}
