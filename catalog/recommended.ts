import type { FamilySource } from './families.js';
import { globs } from './glob.js';
import type { Recommendation, Rule } from './types.js';

/**
 * Marks the rules that families recommend for every estate.
 * @param mistakes takes what names no rule of its family
 */
export function markRecommended(sources: readonly FamilySource[], rules: readonly Rule[], mistakes: string[]): void {
  const byFamily = new Map<string, Rule[]>();
  for (const rule of rules) byFamily.set(rule.family, [...(byFamily.get(rule.family) ?? []), rule]);
  for (const { family } of sources) {
    const own = byFamily.get(family.family) ?? [];
    for (const recommendation of family.recommended) {
      const means = meaning(recommendation);
      const meant = own.filter(means);
      if (meant.length === 0) mistakes.push(`${family.family}/family.yaml recommended: ${JSON.stringify(recommendation)} names no rule`);
      for (const rule of meant) rule.recommended = true;
    }
  }
}

function meaning(recommendation: Recommendation): (rule: Rule) => boolean {
  if (typeof recommendation === 'string') {
    const ids = globs([recommendation]);
    return ({ rule_id }) => ids.test(rule_id);
  }
  const types = globs(recommendation.types);
  const ends = globs(recommendation.ends.map((end) => `*.${end}`));
  return ({ rule_id, resource_types }) => resource_types.some((type) => types.test(type)) && ends.test(rule_id);
}
