import type { EngineContext } from '../../kit/engine/context.js';
import type { PathStep } from './draft.js';
import { shown } from './list.js';
import { Sight } from './masking.js';
import { pathModel } from './model/model.js';
import { attackPaths, type AttackPathRow } from './records.js';
import { likelihoods, pathKey, unionOf } from './union.js';

/** Paths that are looked through for what a fix breaks besides. */
const MOST = 1_000;

const keyOf = ({ entry, resource_uid, pattern }: Pick<AttackPathRow, 'entry' | 'resource_uid' | 'pattern'>): string =>
  pathKey({ entry, target: resource_uid, pattern });

/** One path with its steps and the fix with the least effort; null where the tenant has none of this id. */
export async function pathDetail(context: EngineContext, path_id: string) {
  const row = await context.collection(attackPaths).findOne({ _id: `${context.auth.tenant_id}|${path_id}` });
  if (row === null) return null;
  const sight = Sight.of(context);
  const [path] = await shown(context, sight, [row]);
  const nodes = sight
    .nodes(row)
    .map((node) => node ?? { uid: null, kind: null, hold: null, type: null, name: null, provider: null, account_id: null });
  return { path, nodes, steps: row.steps.map((step) => sight.step(step)), cheapest_fix: await cheapestFix(context, sight, row) };
}

/** What the fix of a step closes: the last of its conditions that is a finding, or the failure of a rule that is not reported. Paths of before rules were told have none. */
function closedBy({ conditions }: PathStep) {
  const { finding_id = null, rule_id = null } = conditions.findLast((one) => one.finding_id !== null || one.rule_id != null) ?? {};
  return { finding_id, rule_id };
}

/**
 * The fix with the least effort after which the path is no more, and what becomes of the others. Paths are looked for again among the steps of all
 * that the caller sees wholly and that share a resource with it: another way of the same kind keeps the path alive.
 */
async function cheapestFix(context: EngineContext, sight: Sight, row: AttackPathRow) {
  const near = { uids: { $in: row.uids.filter((uid) => uid !== 'internet') }, engines: { $nin: sight.restricted } };
  const others = await context.collection(attackPaths).find(near, { sort: { weight: -1, finding_id: 1 }, limit: MOST });
  const ways = others.some(({ _id }) => _id === row._id) ? others : [row, ...others];
  const candidates = row.steps
    .map((step, number) => ({ step, number, effort: pathModel().kinds[step.kind].effort }))
    .filter(({ step }) => !sight.isMasked(step))
    .sort((one, other) => one.effort - other.effort || one.step.probability - other.step.probability || one.number - other.number);
  for (const { step, number, effort } of candidates) {
    const causes = new Set(step.conditions.map(({ cause }) => cause));
    // what the whole internet reaches is not fixed by the hole of one that is reached, and the other way round: the last condition is the reason
    const fixed = step.conditions.at(-1)!.cause;
    const left = likelihoods(unionOf(ways, (conditions) => conditions.some(({ cause }) => cause === fixed && causes.has(cause))));
    if (left.has(keyOf(row))) continue;
    const breaks = others.filter((other) => !left.has(keyOf(other)));
    const reroutes = others.filter((other) => left.has(keyOf(other)) && left.get(keyOf(other))! < other.likelihood - 1e-9);
    return {
      ...{ step: number, effort, action: pathModel().kinds[step.kind].fix },
      ...closedBy(step),
      breaks: [...new Set([row.finding_id, ...breaks.map(({ finding_id }) => finding_id)])].sort(),
      reroutes: reroutes.map(({ finding_id }) => finding_id).sort(),
    };
  }
  return null;
}
