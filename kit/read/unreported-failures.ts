import type { EngineContext } from '../engine/context.js';
import { EVALUATION_SOURCE } from '../engine/rule-results.js';
import { readableEngines } from '../findings/present-owner.js';
import { findings, type FindingRow } from '../findings/row.js';
import { ruleResults, type ResourceResultsRow } from '../findings/rule-results.js';
import { isLeftOut } from '../findings/rule-tallies.js';

/** The failure of a posture rule on a resource that no finding of its own tells. */
export interface UnreportedFailure {
  readonly engine: string;
  readonly rule_id: string;
  readonly resource_uid: string;
}

type Failing = Pick<ResourceResultsRow, 'resource_uid' | 'observed_at' | 'evaluated_at'>;
type Own = Pick<FindingRow, 'resource_uid' | 'status' | 'resolved_by' | 'resolved_at' | 'absent_since'>;

/** Resources whose findings are asked for at once. */
const AT_ONCE = 200;

/**
 * Failures of posture rules that are not told by a finding, one after the other: because the tenant's profile leaves the rule out, because a finding of
 * another rule stands for it, or because the plan had no room. What people have closed since, or taken for false, is none. The failures of a rule are
 * for who may read the engine of its findings.
 * @param rules the engine of each rule, by its id
 */
export async function* readUnreportedFailures(
  { services, auth, signal }: EngineContext,
  rules: ReadonlyMap<string, string>,
): AsyncGenerator<UnreportedFailure> {
  const readable = readableEngines(services, auth);
  const tenant = services.database.tenant(auth.tenant_id);
  for (const [rule_id, engine] of rules) {
    if (!readable.includes(engine)) continue;
    signal.throwIfAborted();
    const told = async function* (failing: readonly Failing[]): AsyncGenerator<UnreportedFailure> {
      const condition = { rule_id, resource_uid: { $in: failing.map(({ resource_uid }) => resource_uid) }, source: EVALUATION_SOURCE };
      const fields = ['resource_uid', 'status', 'resolved_by', 'resolved_at', 'absent_since'];
      const own: Own[] = await tenant.engines([engine]).collection(findings).find(condition, { fields });
      for (const row of failing)
        if (!own.some((finding) => finding.resource_uid === row.resource_uid && decides(finding, row)))
          yield { engine, rule_id, resource_uid: row.resource_uid };
    };
    const failing = { 'results.rule_id': rule_id, results: { $elemMatch: { rule_id, result: 'FAIL' } } };
    let some: Failing[] = [];
    for await (const row of tenant.collection(ruleResults).scan(failing, { fields: ['resource_uid', 'observed_at', 'evaluated_at'] })) {
      if (some.push(row) < AT_ONCE) continue;
      yield* told(some);
      some = [];
    }
    if (some.length > 0) yield* told(some);
  }
}

/** Whether the finding of a failure says what becomes of it: it is there, no failure at all, or was closed after the resource was looked at. */
function decides(finding: Own, { observed_at, evaluated_at }: Failing): boolean {
  if (finding.status === 'SUPPRESSED') return !finding.absent_since;
  if (finding.status !== 'RESOLVED') return true;
  return !isLeftOut(finding) && (finding.resolved_at === null || finding.resolved_at > (observed_at ?? evaluated_at));
}
