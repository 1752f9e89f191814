import { AttackGraphBuilder } from '../../kit/graph/builder.js';
import type { AttackGraph } from '../../kit/graph/graph.js';
import { BOUNDS, findPaths, patternOf, entryOf } from '../../kit/graph/search.js';
import type { Condition } from '../../kit/graph/types.js';
import type { PathDraft } from './draft.js';

type Way = Pick<PathDraft, 'nodes' | 'steps' | 'jewel'>;

/** The graph of the steps that some paths take, without those that a fix removes. */
export function unionOf(ways: readonly Way[], isFixed: (conditions: readonly Condition[]) => boolean = () => false): AttackGraph {
  const builder = new AttackGraphBuilder();
  const known = new Set<string>();
  for (const { nodes, steps, jewel } of ways) {
    const numbers = nodes.map((node) => builder.node(node));
    builder.jewel(numbers.at(-1)!, jewel);
    for (const [n, step] of steps.entries()) {
      const key = `${numbers[n]} ${numbers[n + 1]} ${step.kind}`;
      if (known.has(key) || isFixed(step.conditions)) continue;
      known.add(key);
      builder.step(numbers[n]!, numbers[n + 1]!, step);
    }
  }
  return builder.build();
}

/** How likely each path is that a graph has, by what paths are known by. */
export function likelihoods(graph: AttackGraph): Map<string, number> {
  // what there is no room for is a way all the same
  const { paths, leftOut } = findPaths(graph, { ...BOUNDS, most: Number.POSITIVE_INFINITY });
  return new Map(
    [...paths, ...leftOut].map((path) => {
      const [entry, target] = [graph.nodes[entryOf(graph, path)]!.uid, graph.nodes[path.nodes.at(-1)!]!.uid];
      return [pathKey({ entry, target, pattern: patternOf(graph, path) }), path.likelihood];
    }),
  );
}

export const pathKey = ({ entry, target, pattern }: { entry: string; target: string; pattern: string }): string =>
  `${entry}\n${target}\n${pattern}`;
