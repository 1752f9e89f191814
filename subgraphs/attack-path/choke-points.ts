import type { EngineContext } from '../../kit/engine/context.js';
import type { Condition, GraphNode, StepKind } from '../../kit/graph/types.js';
import { WEIGHTS } from '../../kit/graph/search.js';
import { pageWindow, toPage, type PageArguments } from '../../kit/store/paging.js';
import { Sight } from './masking.js';
import { pathModel } from './model/model.js';
import { attackPaths, type AttackPathRow } from './records.js';
import { likelihoods, pathKey, unionOf } from './union.js';

/** Candidates that are looked at by finding paths again without them. */
const MOST = 40;

interface Candidate {
  readonly condition: Condition;
  readonly kind: StepKind;
  readonly node: GraphNode;
  weight: number;
}

/** The way by which a path is known, and what it weighs. */
type Kept = Pick<AttackPathRow, 'entry' | 'resource_uid' | 'pattern' | 'weight' | 'jewel' | 'nodes' | 'steps'>;

/** At which end of a step its fix is made: what is broken into or read is mended, what has too many rights has fewer then. */
const AT_END: readonly StepKind[] = [
  'initial_access',
  'public_data',
  'leaked_credential',
  'weak_sign_in',
  'open_trust',
  'lateral_movement',
];

/**
 * Fixes that take most away: what many paths rest on, and what each way to a jewel passes. Each is tried by looking for paths without it.
 * @param rows paths that the caller sees wholly
 */
export function chokePointsOf(rows: readonly Kept[]) {
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  const targets = new Set(rows.map(({ resource_uid }) => resource_uid));
  const found = candidatesOf(rows).map(({ condition, kind, node }) => {
    const left = likelihoods(unionOf(rows, (conditions) => conditions.some(({ cause }) => cause === condition.cause)));
    const kept = rows.filter((row) => left.has(keyOf(row)));
    const remaining = kept.reduce((sum, row) => sum + left.get(keyOf(row))! * WEIGHTS[row.jewel.tier], 0);
    const reached = new Set(kept.map(({ resource_uid }) => resource_uid));
    const weight_removed = Math.max(0, total - remaining);
    return {
      ...{ resource_uid: node.uid, resource_type: node.type, resource_name: node.name, kind },
      ...{ cause: condition.text, engine: condition.engine, finding_id: condition.finding_id, rule_id: condition.rule_id },
      ...{ fix: pathModel().kinds[kind].fix, effort: pathModel().kinds[kind].effort },
      paths_broken: rows.length - kept.length,
      jewels_freed: targets.size - reached.size,
      weight_removed,
      share: total === 0 ? 0 : weight_removed / total,
    };
  });
  return found
    .filter(({ weight_removed }) => weight_removed > 0)
    .sort((one, other) => other.weight_removed - one.weight_removed || one.effort - other.effort || (one.cause < other.cause ? -1 : 1));
}

const keyOf = ({ entry, resource_uid, pattern }: Kept): string => pathKey({ entry, target: resource_uid, pattern });

/** What paths rest on, by the weight of the paths that do; of each jewel's ways, what they all rest on comes first. */
function candidatesOf(rows: readonly Kept[]): Candidate[] {
  const candidates = new Map<string, Candidate>();
  const cuts = new Map<string, Set<string>>();
  for (const { nodes, steps, weight, resource_uid } of rows) {
    const own = new Set<string>();
    for (const [n, { kind, conditions }] of steps.entries()) {
      const node = nodes[AT_END.includes(kind) ? n + 1 : n]!;
      for (const condition of conditions) {
        if (own.has(condition.cause)) continue;
        own.add(condition.cause);
        const known = candidates.get(condition.cause);
        if (known) known.weight += weight;
        else candidates.set(condition.cause, { condition, kind, node, weight });
      }
    }
    const common = cuts.get(resource_uid);
    cuts.set(resource_uid, common ? new Set([...common].filter((cause) => own.has(cause))) : own);
  }
  const cutting = new Set([...cuts.values()].flatMap((causes) => [...causes]));
  const byWeight = [...candidates].sort(([, one], [, other]) => other.weight - one.weight);
  // half of the room is for single causes that every way to some jewel passes: a cut of one
  const first = byWeight.filter(([cause]) => cutting.has(cause)).slice(0, MOST / 2);
  const rest = byWeight.filter(([cause]) => !first.some(([one]) => one === cause)).slice(0, MOST - first.length);
  return [...first, ...rest].map(([, candidate]) => candidate);
}

/** A page of the fixes that take most of what the caller sees away. */
export async function listChokePoints(context: EngineContext, args: PageArguments) {
  const window = pageWindow(args);
  const sight = Sight.of(context);
  const rows = await context.collection(attackPaths).find({ engines: { $nin: sight.restricted } }, { sort: { weight: -1, finding_id: 1 } });
  const found = chokePointsOf(rows).map((one) => ({ ...one, engine: sight.segmentOf(one.engine) }));
  return toPage(found.slice(window.skip, window.skip + window.limit), found.length, window);
}
