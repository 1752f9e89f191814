import type { Subject, Surroundings } from './cel/asset-value.js';
import { RuleSet, type Evaluation } from './evaluate.js';
import { Inventory, companionTypes } from './inventory.js';
import type { Rule } from './types.js';

/** A resource that is added beside a sample and refers to it. */
interface Companion {
  type: string;
  config: Record<string, unknown>;
}

const COMPANIONS = '$companions';

/**
 * What a rule says of a sample configuration; `$companions` in it are resources that refer to it.
 * @param unknownPaths what the sample leaves open @param listed types of which all are told that there are beside it, were it none
 */
export function sampleVerdict(
  rule: Rule,
  sample: Readonly<Record<string, unknown>>,
  unknownPaths: readonly string[] = [],
  listed: readonly string[] = [],
): Evaluation {
  const { [COMPANIONS]: companions = [], ...configuration } = sample;
  const subject: Subject = {
    ...subjectFor(rule.resource_types[0]!, rule.provider, 'sample', configuration),
    unknown_paths: unknownPaths,
  };
  return new RuleSet([rule]).evaluate(subject, surroundings(rule, subject, companions as Companion[], listed))[0]!;
}

function surroundings(rule: Rule, subject: Subject, companions: readonly Companion[], listed: readonly string[]): Surroundings {
  const inventory = new Inventory(companionTypes([rule]));
  inventory.add(subject);
  inventory.list(listed);
  for (const [i, { type, config }] of companions.entries()) {
    const companion = subjectFor(type, rule.provider, `companion-${i}`, config);
    inventory.add(companion);
    inventory.refer(companion.resource_uid, subject.resource_uid);
  }
  return inventory;
}

const subjectFor = (resource_type: string, provider: string, resource_uid: string, configuration: Record<string, unknown>): Subject => ({
  resource_uid,
  resource_type,
  resource_name: resource_uid,
  provider,
  region: 'global',
  configuration,
});
