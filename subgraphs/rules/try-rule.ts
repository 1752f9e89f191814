import type { Subject } from '../../catalog/cel/asset-value.js';
import { companionTypes } from '../../catalog/inventory.js';
import { subjectOf } from '../../catalog/subject.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { allowancesOf } from '../../kit/base/quotas.js';
import { RULE_VERDICTS } from '../../kit/engine/rule-results.js';
import { readAssets } from '../../kit/read/inventory.js';
import type { ThreadSession } from '../../kit/work/thread-pool.js';
import { checkedDefinition, type CustomRuleInput } from './custom-rules.js';
import type { TrialInput, TrialRequest, TrialResult } from './trial-thread.js';

/** Stored assets that a trial looks at. */
const MAX_ASSETS = 2_000;
/** Assets that are handed to the thread at a time. */
const AT_ONCE = 50;

/** Checks a rule and runs it over stored assets of its types, the first 2,000, in a thread of its own, without saving anything. @throws VALIDATION_ERROR */
export async function tryCustomRule(context: EngineContext, input: CustomRuleInput) {
  const fields = checkedDefinition({
    title: 'trial',
    description: null,
    rationale: null,
    severity: 'medium',
    engine: 'check',
    remediation: null,
    references: [],
    tags: [],
    ...Object.fromEntries(Object.entries(input).filter(([key, value]) => key !== 'rule_id' && value != null)),
  });
  const rule = { rule_id: 'trial', resource_types: fields.resource_types, expression: fields.expression };
  const steps = allowancesOf(context.services.config, context.auth.plan).trial_steps;
  const { counts, samples } = await run(context, { rule, steps }, [...new Set([...fields.resource_types, ...companionTypes([rule])])]);
  const evaluated = RULE_VERDICTS.reduce((sum, verdict) => sum + counts[verdict], 0);
  return {
    valid: true,
    evaluated,
    passed: counts.PASS,
    failed: counts.FAIL,
    not_applicable: counts.NOT_APPLICABLE,
    not_evaluated: counts.NOT_EVALUATED,
    samples,
  };
}

async function run(context: EngineContext, input: TrialInput, types: string[]): Promise<TrialResult> {
  const { services, auth, signal } = context;
  const session: ThreadSession<null, TrialRequest, TrialResult | null> = await services.threads.trials.open(auth.tenant_id, input, signal);
  try {
    let batch: Subject[] = [];
    for await (const subject of subjectsOf(context, types)) {
      batch.push(subject);
      if (batch.length < AT_ONCE) continue;
      await session.ask({ add: batch });
      batch = [];
    }
    if (batch.length > 0) await session.ask({ add: batch });
    return (await session.ask({ run: true })) as TrialResult;
  } finally {
    session.close();
  }
}

/** The first assets of these types, as rules take them. */
async function* subjectsOf(context: EngineContext, types: string[]): AsyncGenerator<Subject> {
  let seen = 0;
  for await (const { configuration, account_id, resource_name, ...asset } of readAssets(context, types)) {
    if (configuration !== null)
      yield subjectOf({ ...asset, configuration, ...(account_id && { account_id }), ...(resource_name && { resource_name }) });
    if (++seen === MAX_ASSETS) return;
  }
}
