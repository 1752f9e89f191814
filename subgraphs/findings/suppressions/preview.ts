import type { EngineContext } from '../../../kit/engine/context.js';
import { TAKEABLE, walkScope } from '../../../kit/findings/suppressions/apply.js';
import { readable, worstMatched, worstOf } from './matched.js';
import { checkScope } from './input.js';

/** Findings that a preview shows. */
const SAMPLE = 20;

/** What a suppression of this scope would hold now. @throws as `checkScope` */
export async function previewSuppression(context: EngineContext, input: { scope: unknown }) {
  const { auth, services, signal } = context;
  const scope = checkScope(context, input.scope);
  const { engines, restrictedEngines } = readable(context);
  const covered = engines.filter(({ viewSegment }) => scope.engine.length === 0 || scope.engine.includes(viewSegment));
  const counts = { matched_count: 0, moved_count: 0 };
  let worst: Awaited<ReturnType<typeof worstMatched>> = [];
  for (const facts of covered) {
    for (const condition of Object.values(TAKEABLE)) {
      for await (const ids of walkScope(services, facts, { tenant_id: auth.tenant_id, scope }, condition)) {
        signal.throwIfAborted();
        counts.matched_count += ids.length;
        if (condition === TAKEABLE.open) counts.moved_count += ids.length;
        if (ids.length > 0) worst = worstOf([...worst, ...(await worstMatched(context, [facts], { _id: { $in: ids } }, SAMPLE))], SAMPLE);
      }
    }
  }
  return { ...counts, findings: worst, restrictedEngines };
}
