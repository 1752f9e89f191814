// The thread in which a rule is tried: whatever it costs, nobody else waits for it, and it can be ended.
import type { Subject } from '../../catalog/cel/asset-value.js';
import { RuleSet, type Evaluable } from '../../catalog/evaluate.js';
import { companionTypes, Inventory } from '../../catalog/inventory.js';
import { compileTenantExpression, StepBudget } from '../../catalog/tenant-expression.js';
import type { RuleVerdict } from '../../kit/engine/rule-results.js';
import { serveThread } from '../../kit/work/thread-side.js';

const MAX_SAMPLES = 20;

export interface TrialInput {
  rule: Evaluable;
  /** Steps that the trial may take as a whole. */
  steps: number;
}
export type TrialRequest = { add: Subject[] } | { run: true };

/** What a rule says of the resources, and of the first that do not pass. */
export interface TrialResult {
  counts: Record<RuleVerdict, number>;
  samples: { resource_uid: string; resource_type: string; resource_name: string | null; result: RuleVerdict; reason: string | null }[];
}

serveThread(({ rule, steps }: TrialInput) => {
  const budget = new StepBudget(steps);
  const rules = new RuleSet([rule], (expression) => compileTenantExpression(expression, budget));
  const inventory = new Inventory(companionTypes([rule]));
  const subjects: Subject[] = [];
  const run = (): TrialResult => {
    const counts: Record<RuleVerdict, number> = { PASS: 0, FAIL: 0, NOT_APPLICABLE: 0, NOT_EVALUATED: 0 };
    const samples: TrialResult['samples'] = [];
    for (const subject of subjects) {
      for (const { result, reason } of rules.evaluate(subject, inventory)) {
        counts[result] += 1;
        const { resource_uid, resource_type, resource_name = null } = subject;
        if (result !== 'PASS' && samples.length < MAX_SAMPLES)
          samples.push({ resource_uid, resource_type, resource_name, result, reason: reason ?? null });
      }
    }
    return { counts, samples };
  };
  return {
    opened: null,
    ask(request: TrialRequest): TrialResult | null {
      if ('run' in request) return run();
      for (const subject of request.add) {
        subjects.push(subject);
        inventory.add(subject);
      }
      return null;
    },
  };
});
