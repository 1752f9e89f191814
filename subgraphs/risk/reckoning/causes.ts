import type { ReadAttackPath } from '../../../kit/read/attack-paths.js';
import type { Cause } from './records.js';

/** What steps hang on that somebody can fix: findings, rules that fail, and grants; that something lies in the inventory is no cause. */
const FACTS: readonly string[] = ['di', 'network-security'];

const WEIGHTS = { critical: 1, high: 0.6, medium: 0.3, low: 0.1 } as const;

/**
 * The causes of paths, those first that the most weighs on: likelihood by tier of what they lead to.
 * @param reductions what is won when a cause is fixed, where that was reckoned
 */
export function causesOf(paths: readonly ReadAttackPath[], reductions: ReadonlyMap<string, number> = new Map()): Cause[] {
  const found = new Map<string, { cause: Omit<Cause, 'paths' | 'reduction'>; paths: Set<string>; weight: number }>();
  for (const path of paths)
    for (const { conditions } of path.steps)
      for (const { cause, text, engine, finding_id, rule_id, resource_uid } of conditions) {
        // paths of before rules were told have none
        if (rule_id == null && FACTS.includes(engine)) continue;
        const known = found.get(cause) ?? {
          cause: { cause, text, engine, finding_id, rule_id, resource_uid },
          paths: new Set(),
          weight: 0,
        };
        found.set(cause, known);
        if (known.paths.has(path.finding_id)) continue;
        known.paths.add(path.finding_id);
        known.weight += path.likelihood * WEIGHTS[path.jewel.tier];
      }
  return [...found.values()]
    .map((one) => ({ ...one, reduction: reductions.get(one.cause.cause) ?? null }))
    .sort(
      (one, other) =>
        (other.reduction ?? 0) - (one.reduction ?? 0) || other.weight - one.weight || (one.cause.cause < other.cause.cause ? -1 : 1),
    )
    .map(({ cause, paths: needing, reduction }) => ({ ...cause, paths: needing.size, reduction }));
}
