import type { EngineContext } from '../../../kit/engine/context.js';
import { TAKEABLE, walkScope } from '../../../kit/findings/suppressions/apply.js';
import { isExact, scopeCondition, type SuppressionScope } from '../../../kit/findings/suppressions/scope.js';
import type { Filter } from '../../../kit/store/query.js';
import { countMatched, readable, worstMatched, worstOf } from './matched.js';
import { checkScope } from './input.js';

/** Findings that a preview shows. */
const SAMPLE = 20;

/** How many findings a scope takes of those that meet each of some conditions, in the engines that the caller may read, and the worst of them. */
export async function matchedNow(context: EngineContext, scope: SuppressionScope, conditions: readonly Filter[]) {
  const { auth, services, signal } = context;
  const { engines, restrictedEngines } = readable(context);
  const covered = engines.filter(({ viewSegment }) => scope.engine.length === 0 || scope.engine.includes(viewSegment));
  const counts = conditions.map(() => 0);
  let worst: Awaited<ReturnType<typeof worstMatched>> = [];
  for (const facts of covered) {
    for (const [n, condition] of conditions.entries()) {
      if (isExact(scope)) {
        const taken = { $and: [scopeCondition(scope), condition] };
        counts[n]! += await countMatched(context, [facts], taken);
        worst = worstOf([...worst, ...(await worstMatched(context, [facts], taken, SAMPLE))], SAMPLE);
        continue;
      }
      for await (const ids of walkScope(services, facts, { tenant_id: auth.tenant_id, scope }, condition)) {
        signal.throwIfAborted();
        counts[n]! += ids.length;
        if (ids.length > 0) worst = worstOf([...worst, ...(await worstMatched(context, [facts], { _id: { $in: ids } }, SAMPLE))], SAMPLE);
      }
    }
  }
  return { counts, findings: worst, restrictedEngines };
}

/** What a suppression of this scope would hold now. @throws as `checkScope` */
export async function previewSuppression(context: EngineContext, input: { scope: unknown }) {
  const { counts, ...matched } = await matchedNow(context, checkScope(context, input.scope), [TAKEABLE.open, TAKEABLE.held]);
  return { matched_count: counts[0]! + counts[1]!, moved_count: counts[0]!, ...matched };
}
