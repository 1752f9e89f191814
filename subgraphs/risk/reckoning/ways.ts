import type { ReadAttackPath } from '../../../kit/read/attack-paths.js';
import type { RiskGraph, RiskJewel, RiskStep } from '../simulation/simulate.js';
import type { LossModel } from '../simulation/loss.js';
import { ENTRY_CLASSES, type EntryClass } from './records.js';

type Step = ReadAttackPath['steps'][number];
type Node = ReadAttackPath['nodes'][number];

/** The class of entry of a path, by its first step. */
export const entryClassOf = ({ steps }: Pick<ReadAttackPath, 'steps'>): EntryClass =>
  ENTRY_CLASSES.find((one) => one === steps[0]?.kind) ?? 'internet';

/** What decides a step: its last condition; those before it are facts of the estate, which no luck changes. */
export const decisiveCause = ({ kind, conditions }: Step, from: string, to: string): string =>
  conditions.at(-1)?.cause ?? `${kind}:${from}>${to}`;

const keyOf = ({ uid, hold }: Node): string => `${uid}\n${hold ?? ''}`;

/** What is fixed, or taken for fixed: a finding, what a rule says of a resource, a cause, or a step between two resources. */
export interface Fixed {
  readonly findings: ReadonlySet<string>;
  readonly results: ReadonlySet<string>;
  readonly causes: ReadonlySet<string>;
  readonly edges: ReadonlySet<string>;
}
export const NOTHING_FIXED: Fixed = { findings: new Set(), results: new Set(), causes: new Set(), edges: new Set() };
export const resultKey = (ruleId: string, resourceUid: string): string => `${ruleId}\n${resourceUid}`;
export const edgeKey = (from: string, to: string): string => `${from}\n${to}`;

/** Whether a step can be taken no more. */
export const isFixed = ({ conditions }: Step, from: string, to: string, { findings, results, causes, edges }: Fixed): boolean =>
  edges.has(edgeKey(from, to)) ||
  conditions.some(
    ({ engine, finding_id, rule_id, resource_uid, cause }) =>
      causes.has(cause) ||
      (finding_id !== null && findings.has(`${engine}/${finding_id}`)) ||
      (rule_id !== null && resource_uid !== null && results.has(resultKey(rule_id, resource_uid))),
  );

/** Whether a path can be taken to its end. */
export const isOpen = ({ nodes, steps }: ReadAttackPath, fixed: Fixed): boolean =>
  steps.every((step, n) => !isFixed(step, nodes[n]!.uid, nodes[n + 1]!.uid, fixed));

/** The ways of an estate without those that are fixed. */
export interface Ways extends RiskGraph {
  /** The resource of each jewel, in the order of `jewels`. */
  readonly uids: readonly string[];
  /** Where an attacker may stand at a resource. */
  readonly placesOf: ReadonlyMap<string, readonly number[]>;
}

/**
 * Makes one graph of paths: a step that several take is one step, and everything starts at node 0.
 * @param lossOf what the loss of a jewel costs; null where nobody has given a figure
 */
export function waysOf(
  paths: readonly ReadAttackPath[],
  lossOf: (uid: string) => LossModel | null,
  frequencies: readonly number[],
  fixed: Fixed = NOTHING_FIXED,
): Ways {
  const numbers = new Map<string, number>();
  const placesOf = new Map<string, number[]>();
  const steps = new Map<string, RiskStep>();
  const jewels = new Map<number, RiskJewel>();
  const numberOf = (node: Node): number => {
    if (node.kind === 'internet') return 0;
    const key = keyOf(node);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const number = numbers.size + 1;
    numbers.set(key, number);
    placesOf.set(node.uid, [...(placesOf.get(node.uid) ?? []), number]);
    return number;
  };
  for (const path of paths) {
    const places = path.nodes.map(numberOf);
    const target = places.at(-1)!;
    const uid = path.nodes.at(-1)!.uid;
    if (!jewels.has(target)) jewels.set(target, { node: target, key: uid, loss: lossOf(uid) });
    for (const [n, step] of path.steps.entries()) {
      const [from, to] = [places[n]!, places[n + 1]!];
      const [source, end] = [path.nodes[n]!.uid, path.nodes[n + 1]!.uid];
      if (isFixed(step, source, end, fixed)) continue;
      const entry = from === 0 ? ENTRY_CLASSES.indexOf(ENTRY_CLASSES.find((one) => one === step.kind) ?? 'internet') : undefined;
      const cause = decisiveCause(step, source, end);
      const key = `${from} ${to} ${step.kind} ${cause}`;
      const { probability } = step;
      if ((steps.get(key)?.probability ?? 0) < probability)
        steps.set(key, { from, to, probability, cause, ...(entry !== undefined && { entry }) });
    }
  }
  const all = [...jewels.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
  return { nodes: numbers.size + 1, steps: [...steps.values()], jewels: all, frequencies, uids: all.map(({ key }) => key), placesOf };
}
