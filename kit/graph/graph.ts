import { STEP_KINDS, type Condition, type GraphNode, type GraphStep, type Jewel } from './types.js';

/** Steps as columns: the number of a step is its place in each. */
export interface StepColumns {
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Places in `STEP_KINDS`. */
  readonly kinds: Uint8Array;
  readonly probabilities: Float64Array;
  /** Places in the sets of conditions. */
  readonly conditionSets: Int32Array;
}

/** Steps in the order of one of their ends: those of node n are `steps` from `starts[n]` to `starts[n + 1]`. */
export interface Adjacency {
  readonly starts: Int32Array;
  readonly steps: Int32Array;
}

/** Where an attacker may stand and what leads from there to where, in typed arrays. */
export class AttackGraph {
  readonly out: Adjacency;
  readonly in: Adjacency;
  /** −log of each step's probability: what is added along a path. */
  readonly costs: Float64Array;

  constructor(
    readonly nodes: readonly GraphNode[],
    readonly columns: StepColumns,
    private readonly sets: readonly (readonly Condition[])[],
    readonly jewels: ReadonlyMap<number, Jewel>,
  ) {
    this.out = adjacency(nodes.length, columns.from);
    this.in = adjacency(nodes.length, columns.to);
    this.costs = columns.probabilities.map((probability) => Math.max(0, -Math.log(probability)));
  }

  get stepCount(): number {
    return this.columns.from.length;
  }

  from(step: number): number {
    return this.columns.from[step]!;
  }

  to(step: number): number {
    return this.columns.to[step]!;
  }

  step(step: number): GraphStep {
    const { kinds, probabilities, conditionSets } = this.columns;
    return { kind: STEP_KINDS[kinds[step]!]!, probability: probabilities[step]!, conditions: this.sets[conditionSets[step]!]! };
  }

  /** The same nodes with some of the steps. */
  keeping(isKept: (step: number) => boolean): AttackGraph {
    const kept = Array.from({ length: this.stepCount }, (_, step) => step).filter(isKept);
    const some = <A extends Int32Array | Uint8Array | Float64Array>(column: A, empty: A): A => {
      for (const [at, step] of kept.entries()) empty[at] = column[step]!;
      return empty;
    };
    const { from, to, kinds, probabilities, conditionSets } = this.columns;
    const columns = {
      from: some(from, new Int32Array(kept.length)),
      to: some(to, new Int32Array(kept.length)),
      kinds: some(kinds, new Uint8Array(kept.length)),
      probabilities: some(probabilities, new Float64Array(kept.length)),
      conditionSets: some(conditionSets, new Int32Array(kept.length)),
    };
    return new AttackGraph(this.nodes, columns, this.sets, this.jewels);
  }
}

/** The order of steps by one of their ends, those of a node as they were given. @param ends the node of each step */
export function adjacency(nodes: number, ends: ArrayLike<number>): Adjacency {
  const starts = new Int32Array(nodes + 1);
  for (let step = 0; step < ends.length; step++) starts[ends[step]! + 1]!++;
  for (let node = 0; node < nodes; node++) starts[node + 1]! += starts[node]!;
  const next = starts.slice(0, nodes);
  const steps = new Int32Array(ends.length);
  for (let step = 0; step < ends.length; step++) steps[next[ends[step]!]!++] = step;
  return { starts, steps };
}
