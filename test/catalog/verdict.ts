import type { Subject } from '../../catalog/cel/asset-value.js';
import { RuleSet, type Evaluation } from '../../catalog/evaluate.js';
import { Inventory, companionTypes } from '../../catalog/inventory.js';
import type { Rule } from '../../catalog/types.js';

type Configuration = Record<string, unknown>;
type Asked = Pick<Rule, 'rule_id' | 'resource_types' | 'expression' | 'applies'>;

/** A resource made to measure. */
export const resource = (configuration: Configuration, more: Partial<Subject> = {}): Subject => ({
  resource_uid: 'the-resource',
  resource_type: 'aws_thing',
  resource_name: 'the-name',
  provider: 'aws',
  region: 'eu-west-1',
  account_id: '111122223333',
  configuration,
  ...more,
});

/** What a rule says of a resource. @param others what else the inventory holds; `refersBy` names those that an edge ties to the resource */
export function evaluate(
  rule: Pick<Asked, 'expression' | 'applies'>,
  subject: Subject,
  others: readonly Subject[] = [],
  refersBy: readonly string[] = [],
): Evaluation<Asked> {
  const asked: Asked = { rule_id: 'rule', resource_types: [subject.resource_type], ...rule };
  const inventory = new Inventory(companionTypes([asked]));
  for (const one of [subject, ...others]) inventory.add(one);
  for (const uid of refersBy) inventory.refer(uid, subject.resource_uid);
  return new RuleSet([asked]).evaluate(subject, inventory)[0]!;
}

/** PASS, FAIL or NOT_EVALUATED of an expression over a configuration. */
export const verdict = (expression: string, configuration: Configuration = {}, more: Partial<Subject> = {}): string =>
  evaluate({ expression }, resource(configuration, more)).result;
