import { Heap } from './heap.js';
import type { AttackGraph } from './graph.js';
import { STEP_KINDS, type FoundPath, type StepKind, type Tier } from './types.js';

/** What a search is bounded by. */
export interface SearchBounds {
  /** Paths of a tenant, and of one jewel. */
  readonly most: number;
  readonly mostOfJewel: number;
  /** Steps of a path. */
  readonly length: number;
  /** What is less likely is no path. */
  readonly likelihood: number;
  /** Places that are looked at for all jewels together; each has its share. */
  readonly looks: number;
}

export const BOUNDS: SearchBounds = { most: 1_000, mostOfJewel: 50, length: 10, likelihood: 0.001, looks: 1_000_000 };

/** What the loss of a jewel of a tier weighs beside others. */
export const WEIGHTS: Readonly<Record<Tier, number>> = { critical: 1, high: 0.6, medium: 0.3, low: 0.1 };

export interface SearchResult {
  /** The worst first. */
  readonly paths: readonly FoundPath[];
  /** Those that there was no room for. */
  readonly leftOut: readonly FoundPath[];
  /** Jewels of which not all paths were found. */
  readonly cut: ReadonlySet<number>;
}

/** Kinds of steps at whose end an entry stands by itself, and not the internet. */
const OWN_ENTRIES: readonly StepKind[] = ['leaked_credential', 'weak_sign_in'];

/** Where a path begins: the internet, or the identity whose credential somebody has. */
export function entryOf(graph: AttackGraph, { nodes, steps }: Pick<FoundPath, 'nodes' | 'steps'>): number {
  return OWN_ENTRIES.includes(graph.step(steps[0]!).kind) ? nodes[1]! : nodes[0]!;
}

/** The kinds of a path's steps in order. */
export const patternOf = (graph: AttackGraph, { steps }: Pick<FoundPath, 'steps'>): string =>
  steps.map((step) => graph.step(step).kind).join('>');

/** What a path weighs: its likelihood times the value of what it leads to. */
export const weightOf = (graph: AttackGraph, { nodes, likelihood }: FoundPath): number =>
  likelihood * WEIGHTS[graph.jewels.get(nodes.at(-1)!)!.tier];

/** The cost of the best way from the internet to each node; infinite where there is none. */
export function distances(graph: AttackGraph): Float64Array {
  const best = new Float64Array(graph.nodes.length).fill(Number.POSITIVE_INFINITY);
  const heap = new Heap();
  const done = new Uint8Array(graph.nodes.length);
  best[0] = 0;
  heap.push(0, 0);
  const { starts, steps } = graph.out;
  while (heap.size > 0) {
    const node = heap.pop();
    if (done[node]) continue;
    done[node] = 1;
    // who has every right of an account is at an end
    if (graph.nodes[node]!.kind === 'administrator') continue;
    for (let at = starts[node]!; at < starts[node + 1]!; at++) {
      const step = steps[at]!;
      const [to, cost] = [graph.to(step), best[node]! + graph.costs[step]!];
      if (cost >= best[to]!) continue;
      best[to] = cost;
      heap.push(cost, to);
    }
  }
  return best;
}

/**
 * The best path of each entry, jewel and pattern: best first backwards from each jewel, led by the best ways from the internet. The jewels whose best
 * path weighs most come first, and where there are as many paths as there is room for that weigh no less than the best of the next one, the rest is
 * cut: however many jewels there are, only as many are looked at as paths are kept. The same graph gives the same paths in the same order.
 */
export function findPaths(graph: AttackGraph, bounds: SearchBounds = BOUNDS): SearchResult {
  const ahead = distances(graph);
  const jewels = reachedJewels(graph, ahead, bounds);
  const cut = new Set<number>();
  const found: FoundPath[] = [];
  const weights = new Map<FoundPath, number>();
  const share = Math.max(LEAST_LOOKS, Math.floor(bounds.looks / Math.max(1, Math.min(jewels.length, bounds.most))));
  const most = Math.max(bounds.looks, LEAST_LOOKS * bounds.most);
  const kept = new Heap();
  let looked = 0;
  for (const { jewel, weight } of jewels) {
    if (looked >= most || (kept.size >= bounds.most && kept.least! >= weight - ROUNDING)) {
      cut.add(jewel);
      continue;
    }
    const { paths, isCut, looks } = pathsTo(graph, jewel, ahead, { ...bounds, looks: share });
    if (isCut) cut.add(jewel);
    looked += looks;
    for (const path of paths) {
      found.push(path);
      weights.set(path, weightOf(graph, path));
      kept.push(weights.get(path)!, found.length);
      if (kept.size > bounds.most) kept.pop();
    }
  }
  found.sort((one, other) => weights.get(other)! - weights.get(one)! || one.steps.length - other.steps.length);
  return { paths: found.slice(0, bounds.most), leftOut: found.slice(bounds.most), cut };
}

/** By how much the same likelihood may differ, multiplied in another order. */
const ROUNDING = 1e-12;
/** Places that are looked at for a jewel, however many jewels there are. */
const LEAST_LOOKS = 2_000;

/** The jewels that there is a way to, with what the best of their paths weighs, the heaviest first. */
function reachedJewels(graph: AttackGraph, ahead: Float64Array, { likelihood }: SearchBounds) {
  const least = -Math.log(likelihood);
  const reached: { jewel: number; weight: number }[] = [];
  for (const [jewel, { tier }] of graph.jewels)
    if (ahead[jewel]! <= least) reached.push({ jewel, weight: Math.exp(-ahead[jewel]!) * WEIGHTS[tier] });
  return reached.sort((one, other) => other.weight - one.weight || one.jewel - other.jewel);
}

/** What has been looked at on the way back from a jewel: a chain of places, each with the step that leads on. */
class Looks {
  readonly nodes: number[] = [];
  readonly steps: number[] = [];
  readonly next: number[] = [];
  readonly patterns: number[] = [];
  readonly costs: number[] = [];
  readonly lengths: number[] = [];
  /** A pattern is its last kinds' number and one kind more before them. */
  private readonly known = new Map<number, number>();

  add(node: number, step: number, next: number, pattern: number, cost: number, length: number): number {
    this.nodes.push(node);
    this.steps.push(step);
    this.next.push(next);
    this.patterns.push(pattern);
    this.costs.push(cost);
    return this.lengths.push(length) - 1;
  }

  /** The number of a pattern with one kind more in front; 0 is the empty one. */
  longer(pattern: number, kind: number): number {
    const key = pattern * STEP_KINDS.length + kind;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    this.known.set(key, this.known.size + 1);
    return this.known.size;
  }

  has(look: number, node: number): boolean {
    for (let at = look; at >= 0; at = this.next[at]!) if (this.nodes[at] === node) return true;
    return false;
  }

  path(look: number): FoundPath {
    const [nodes, steps]: [number[], number[]] = [[], []];
    for (let at = look; at >= 0; at = this.next[at]!) {
      nodes.push(this.nodes[at]!);
      if (this.steps[at]! >= 0) steps.push(this.steps[at]!);
    }
    return { nodes, steps, likelihood: Math.exp(-this.costs[look]!) };
  }
}

function pathsTo(
  graph: AttackGraph,
  jewel: number,
  ahead: Float64Array,
  bounds: SearchBounds,
): { paths: FoundPath[]; isCut: boolean; looks: number } {
  const paths: FoundPath[] = [];
  const looks = new Looks();
  const heap = new Heap();
  const seen = new Set<number>();
  const found = new Set<string>();
  const least = -Math.log(bounds.likelihood);
  heap.push(ahead[jewel]!, looks.add(jewel, -1, -1, 0, 0, 0));
  const { starts, steps } = graph.in;
  while (heap.size > 0) {
    if (looks.nodes.length >= bounds.looks || paths.length >= bounds.mostOfJewel) return { paths, isCut: true, looks: looks.nodes.length };
    const look = heap.pop();
    const [node, pattern] = [looks.nodes[look]!, looks.patterns[look]!];
    if (node === 0) {
      const path = looks.path(look);
      const key = `${entryOf(graph, path)} ${pattern}`;
      if (!found.has(key)) paths.push(path);
      found.add(key);
      continue;
    }
    // the first to come by with a pattern is the likeliest of it
    const key = pattern * graph.nodes.length + node;
    if (seen.has(key)) continue;
    seen.add(key);
    if (looks.lengths[look]! >= bounds.length) continue;
    for (let at = starts[node]!; at < starts[node + 1]!; at++) {
      const step = steps[at]!;
      const from = graph.from(step);
      const cost = looks.costs[look]! + graph.costs[step]!;
      if (cost + ahead[from]! > least || (graph.nodes[from]!.kind === 'administrator' && from !== jewel)) continue;
      if (looks.has(look, from)) continue;
      const longer = looks.longer(pattern, graph.columns.kinds[step]!);
      heap.push(cost + ahead[from]!, looks.add(from, step, look, longer, cost, looks.lengths[look]! + 1));
    }
  }
  return { paths, isCut: false, looks: looks.nodes.length };
}
