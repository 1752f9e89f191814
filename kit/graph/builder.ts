import { AttackGraph } from './graph.js';
import { INTERNET, STEP_KINDS, type Condition, type GraphNode, type GraphStep, type Hold, type Jewel } from './types.js';

const ANYBODY: GraphNode = {
  ...{ uid: INTERNET, kind: 'internet', hold: null, type: 'internet', name: 'Internet' },
  ...{ provider: null, account_id: null, region: null },
};

/** A node is found by its resource and how it is held. */
const keyOf = (uid: string, hold: Hold | null): string => (hold === null ? uid : `${uid}\u0000${hold}`);

/** A typed array that grows. */
class Numbers<A extends Int32Array | Float64Array | Uint8Array> {
  length = 0;

  constructor(
    private values: A,
    private readonly larger: (length: number) => A,
  ) {}

  push(value: number): void {
    if (this.length === this.values.length) {
      const grown = this.larger(Math.max(1_024, this.values.length * 2));
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.length++] = value;
  }

  /** What was pushed. */
  get all(): A {
    return this.values.subarray(0, this.length) as A;
  }

  /** The values, to be read and written where something was pushed. */
  get own(): A {
    return this.values;
  }
}

const integers = () => new Numbers(new Int32Array(0), (length) => new Int32Array(length));

/** Gathers nodes and steps; `build` makes the graph of them. Of several steps of one kind between two nodes the likeliest stays. */
export class AttackGraphBuilder {
  private readonly nodes: GraphNode[] = [];
  private readonly numbers = new Map<string, number>();
  private readonly from = integers();
  private readonly to = integers();
  private readonly conditionSets = integers();
  private readonly kinds = new Numbers(new Uint8Array(0), (length) => new Uint8Array(length));
  private readonly probabilities = new Numbers(new Float64Array(0), (length) => new Float64Array(length));
  /** Conditions are few where steps are many: those of all edges of one kind are the same. */
  private readonly sets: (readonly Condition[])[] = [];
  private readonly setNumbers = new Map<readonly Condition[], number>();
  private readonly jewels = new Map<number, Jewel>();

  constructor() {
    this.node(ANYBODY);
  }

  /** The number of a node, new or known; what is known of one stays. */
  node(node: GraphNode): number {
    const key = keyOf(node.uid, node.hold);
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    this.numbers.set(key, this.nodes.length);
    return this.nodes.push(node) - 1;
  }

  /** The number of a node that is known. */
  find(uid: string, hold: Hold | null = null): number | undefined {
    return this.numbers.get(keyOf(uid, hold));
  }

  at(number: number): GraphNode {
    return this.nodes[number]!;
  }

  jewel(node: number, jewel: Jewel): void {
    this.jewels.set(node, jewel);
  }

  step(from: number, to: number, { kind, probability, conditions }: GraphStep): void {
    if (!(probability > 0 && probability <= 1)) throw new Error(`a step has a probability above 0 and at most 1, and not ${probability}`);
    if (from === to) return;
    this.from.push(from);
    this.to.push(to);
    this.kinds.push(STEP_KINDS.indexOf(kind));
    this.probabilities.push(probability);
    this.conditionSets.push(this.setOf(conditions));
  }

  build(): AttackGraph {
    return new AttackGraph(
      this.nodes,
      {
        from: this.from.all,
        to: this.to.all,
        kinds: this.kinds.all,
        probabilities: this.probabilities.all,
        conditionSets: this.conditionSets.all,
      },
      this.sets,
      this.jewels,
    );
  }

  private setOf(conditions: readonly Condition[]): number {
    const known = this.setNumbers.get(conditions);
    if (known !== undefined) return known;
    this.setNumbers.set(conditions, this.sets.length);
    return this.sets.push(conditions) - 1;
  }
}
