import type { Provider } from '../schema/model.js';
import { buildCheck, checkOf } from './checks.js';
import type { FamilySource } from './families.js';
import { addImplications, saidByFamily, type Said } from './implications.js';
import { withOperators } from './manifest-types.js';
import { markRecommended } from './recommended.js';
import { fill, fillDeep, variablesOf } from './template.js';
import { providerOf, resourceIdOf } from './resource-name.js';
import { tellTitlesApart } from './titles.js';
import type { ExpandedRule, Family, RuleTexts, Target, Variant } from './types.js';

const TEXTS = ['title', 'description', 'rationale', 'steps', 'references'] as const;

/**
 * Expands families into concrete rules: one per target, or one per target and variant.
 * @param mistakes takes what is wrong with a target, with the place; the other rules are still made
 */
export function expandFamilies(sources: readonly FamilySource[], mistakes: string[]): ExpandedRule[] {
  const rules: ExpandedRule[] = [];
  const said: Said[] = [];
  for (const { family, targets } of sources) {
    for (const [provider, list] of targets) {
      for (const target of list) {
        for (const variant of variantsOf(family, target)) {
          try {
            const rule = expand(family, provider, target, variant);
            rules.push(rule);
            if (target.implies)
              said.push({ place: `${family.family}/${provider}.yaml ${target.type[0]}`, by: [rule], rules: target.implies });
          } catch (error) {
            mistakes.push(
              `${family.family}/${provider}.yaml ${target.type[0]} ${target.slug ?? ''} ${variant?.slug ?? ''}: ${(error as Error).message}`,
            );
          }
        }
      }
    }
  }
  for (const { family } of sources) said.push(...saidByFamily(family, rules, mistakes));
  addImplications(rules, said, mistakes);
  markRecommended(sources, rules, mistakes);
  tellTitlesApart(rules, new Map(sources.map(({ family }) => [family.family, family])));
  return rules;
}

function variantsOf(family: Family, target: Target): (Variant | undefined)[] {
  if (family.variants.length === 0) return [undefined];
  if (target.only === undefined) return family.variants;
  return target.only.map((slug) => {
    const variant = family.variants.find((known) => known.slug === slug);
    if (variant === undefined) throw new Error(`${family.family}: ${target.type[0]} names the variant ${slug}, which there is none of`);
    return variant;
  });
}

function expand(family: Family, provider: Provider, source: Target, variant: Variant | undefined): ExpandedRule {
  const values = { ...(variant ?? {}), ...(source.vars ?? {}) };
  const { severity: _severity, ...members } = values as Variant;
  const first = variablesOf(members);
  // a variable may stand for a text with variables
  const variables = Object.fromEntries(Object.entries(first).map(([name, text]) => [name, fill(text, first)]));
  const target = fillDeep(source, variables, members);
  const type = target.type[0]!;
  for (const other of target.type) {
    if (providerOf(other) !== provider) throw new Error(`${other} is no type of ${provider}`);
  }
  const check = fillDeep(checkOf(target, family.check), variables, members);
  const { samples, ...checked } = buildCheck(target, check);
  const expected = checked.expected || fill(family.expected ?? '', variables);
  const slugs = [target.slug ?? family.family, ...(variant === undefined ? [] : [variant.slug])];
  const texts = Object.fromEntries(TEXTS.filter((key) => target[key] !== undefined).map((key) => [key, target[key]])) as Partial<RuleTexts>;
  const engine = target.engine ?? family.engine;
  return {
    rule_id: [resourceIdOf(type, provider), ...slugs].join('.'),
    family: family.family,
    provider,
    resource_types: withOperators(family.family, target.type),
    severity: target.severity ?? variant?.severity ?? family.severity,
    engine,
    ...checked,
    expected,
    ...(target.path === undefined ? {} : { path: target.path }),
    ...(family.together ? { together: `${family.family}/${engine}` } : {}),
    ...(Object.keys(variables).length === 0 ? {} : { variables }),
    ...(Object.keys(texts).length === 0 ? {} : { texts }),
    samples,
  };
}
