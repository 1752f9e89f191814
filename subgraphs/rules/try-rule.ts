import { RuleSet } from '../../catalog/evaluate.js';
import { companionTypes, Inventory } from '../../catalog/inventory.js';
import { subjectOf } from '../../catalog/subject.js';
import { compileTenantExpression } from '../../catalog/tenant-expression.js';
import type { Provider } from '../../schema/model.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { PalisadeError } from '../../kit/base/errors.js';
import { RULE_VERDICTS, type RuleVerdict } from '../../kit/engine/rule-results.js';
import { checkedDefinition, type CustomRuleInput } from './custom-rules.js';

/** Stored assets that a trial looks at. */
const MAX_ASSETS = 2_000;
const PAGE = 200;
const MAX_SAMPLES = 20;

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

/** Checks a rule and runs it over stored assets of its types, the first 2,000, without saving anything. @throws VALIDATION_ERROR */
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
  const kept = companionTypes([rule]);
  const assets = await assetsOf(context, [...new Set([...said.resource_types, ...kept])]);
  const inventory = new Inventory(kept);
  for (const asset of assets) inventory.add(asset);
  const rules = new RuleSet([rule], compileTenantExpression);
  const counts: Record<RuleVerdict, number> = { PASS: 0, FAIL: 0, NOT_APPLICABLE: 0, NOT_EVALUATED: 0 };
  const samples = [];
  for (const asset of assets) {
    for (const { result, reason } of rules.evaluate(asset, inventory)) {
      counts[result] += 1;
      const { resource_uid, resource_type, resource_name = null } = asset;
      if (result !== 'PASS' && samples.length < MAX_SAMPLES)
        samples.push({ resource_uid, resource_type, resource_name, result, reason: reason ?? null });
    }
  }
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

async function assetsOf(context: EngineContext, types: string[]) {
  const subjects = [];
  for (let page = 1; page * PAGE <= MAX_ASSETS; page++) {
    const { data, errors } = await context.services.caller.call<{ page: { items: StoredAsset[]; has_more: boolean } }>({
      engine: 'di',
      query: ASSETS,
      variables: { types, page, size: PAGE },
      auth: context.auth,
      signal: context.signal,
    });
    if (errors?.length || !data) throw new PalisadeError('UPSTREAM_UNAVAILABLE', 'The inventory did not answer', null);
    for (const { configuration, account_id, resource_name, ...asset } of data.page.items) {
      if (configuration === null) continue;
      subjects.push(subjectOf({ ...asset, configuration, ...(account_id && { account_id }), ...(resource_name && { resource_name }) }));
    }
    if (!data.page.has_more) break;
  }
  return subjects;
}
