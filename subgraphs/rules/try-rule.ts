import type { Subject } from '../../catalog/cel/asset-value.js';
import { companionTypes } from '../../catalog/inventory.js';
import { subjectOf } from '../../catalog/subject.js';
import type { Provider } from '../../schema/model.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { PalisadeError } from '../../kit/base/errors.js';
import { allowancesOf } from '../../kit/base/quotas.js';
import { RULE_VERDICTS } from '../../kit/engine/rule-results.js';
import type { ThreadSession } from '../../kit/work/thread-pool.js';
import { checkedDefinition, type CustomRuleInput } from './custom-rules.js';
import type { TrialInput, TrialRequest, TrialResult } from './trial-thread.js';

/** Stored assets that a trial looks at. */
const MAX_ASSETS = 2_000;
/** Assets that are read and handed to the thread at a time. */
const PAGE = 50;

interface StoredAsset {
  resource_uid: string;
  resource_type: string;
  resource_name: string | null;
  provider: Provider;
  account_id: string | null;
  region: string;
  configuration: Record<string, unknown> | null;
}

const ASSETS = `query($types: [String!], $page: Int, $size: Int) {
  page: assets(resource_type: $types, page: $page, page_size: $size) {
    items { resource_uid resource_type resource_name provider account_id region configuration } has_more
  }
}`;

/** Checks a rule and runs it over stored assets of its types, the first 2,000, in a thread of its own, without saving anything. @throws VALIDATION_ERROR */
export async function tryCustomRule(context: EngineContext, input: CustomRuleInput) {
  const said = checkedDefinition({
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
  const rule = { rule_id: 'trial', resource_types: said.resource_types, expression: said.expression };
  const steps = allowancesOf(context.services.config, context.auth.plan).trial_steps;
  const { counts, samples } = await run(context, { rule, steps }, [...new Set([...said.resource_types, ...companionTypes([rule])])]);
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

async function run({ services, auth, signal }: EngineContext, input: TrialInput, types: string[]): Promise<TrialResult> {
  const session: ThreadSession<null, TrialRequest, TrialResult | null> = await services.threads.trials.open(auth.tenant_id, input, signal);
  try {
    for await (const subjects of assetsOf({ services, auth, signal }, types)) await session.ask({ add: subjects });
    return (await session.ask({ run: true })) as TrialResult;
  } finally {
    session.close();
  }
}

async function* assetsOf(context: Pick<EngineContext, 'services' | 'auth' | 'signal'>, types: string[]): AsyncGenerator<Subject[]> {
  for (let page = 1; page * PAGE <= MAX_ASSETS; page++) {
    const { data, errors } = await context.services.caller.call<{ page: { items: StoredAsset[]; has_more: boolean } }>({
      engine: 'di',
      query: ASSETS,
      variables: { types, page, size: PAGE },
      auth: context.auth,
      signal: context.signal,
    });
    if (errors?.length || !data) throw new PalisadeError('UPSTREAM_UNAVAILABLE', 'The inventory did not answer', null);
    yield data.page.items.flatMap(({ configuration, account_id, resource_name, ...asset }) =>
      configuration === null
        ? []
        : [subjectOf({ ...asset, configuration, ...(account_id && { account_id }), ...(resource_name && { resource_name }) })],
    );
    if (!data.page.has_more) break;
  }
}
