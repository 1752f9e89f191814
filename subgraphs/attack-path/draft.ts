import type { AttackGraph } from '../../kit/graph/graph.js';
import { entryOf, patternOf, weightOf } from '../../kit/graph/search.js';
import type { Condition, FoundPath, GraphNode, Jewel, StepKind } from '../../kit/graph/types.js';

/** A step of a path, between the nodes of its number and the next. */
export interface PathStep {
  readonly kind: StepKind;
  readonly probability: number;
  readonly conditions: readonly Condition[];
}

/** What a path is known by, whatever way it takes. */
export interface PathIdentity {
  readonly entry: string;
  readonly target: string;
  readonly pattern: string;
}

/** A path as it is kept. */
export interface PathDraft extends PathIdentity {
  readonly nodes: readonly GraphNode[];
  readonly steps: readonly PathStep[];
  readonly likelihood: number;
  /** Likelihood times the value of what it leads to: what paths are ranked by. */
  readonly weight: number;
  readonly jewel: Jewel;
  /** How many jewels lie in the account whose every right is won; 0 of others. */
  readonly also_reaches: number;
}

export const identityOf = (graph: AttackGraph, path: FoundPath): PathIdentity => ({
  entry: graph.nodes[entryOf(graph, path)]!.uid,
  target: graph.nodes[path.nodes.at(-1)!]!.uid,
  pattern: patternOf(graph, path),
});

export function draftOf(graph: AttackGraph, path: FoundPath): PathDraft {
  const last = path.nodes.at(-1)!;
  const target = graph.nodes[last]!;
  const inAccount = ([number]: [number, Jewel]) => {
    const node = graph.nodes[number]!;
    return node.kind === 'asset' && node.provider === target.provider && node.account_id === target.account_id;
  };
  return {
    ...identityOf(graph, path),
    nodes: path.nodes.map((node) => graph.nodes[node]!),
    steps: path.steps.map((step) => graph.step(step)),
    likelihood: path.likelihood,
    weight: weightOf(graph, path),
    jewel: graph.jewels.get(last)!,
    also_reaches: target.kind === 'administrator' ? [...graph.jewels].filter(inAccount).length : 0,
  };
}
