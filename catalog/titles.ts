import { resourceIdOf } from './resource-name.js';
import { settingWords, stepsOf, textsOf } from './texts.js';
import type { Family, Rule } from './types.js';

/** What may tell a rule from others of its type, the plainest first; the last is no other rule's. */
const WAYS: readonly ((rule: Rule) => string)[] = [
  ({ path = '' }) => settingWords(stepsOf(path).slice(-1).join('_')),
  ({ path = '' }) => settingWords(stepsOf(path).slice(-2).join('_')),
  (rule) => settingWords(slugOf(rule).replace(`${rule.family}_`, '').replaceAll('.', '_')),
  (rule) => settingWords(slugOf(rule).replaceAll('.', '_')),
  ({ path = '' }) => stepsOf(path).map(settingWords).join(', '),
  slugOf,
];

/** The end of a rule's id, behind its resource. */
function slugOf({ rule_id, resource_types, provider }: Rule): string {
  return rule_id.slice(resourceIdOf(resource_types[0]!, provider).length + 1);
}

/** Sets `told_by` of rules of one type that would have the same title otherwise. */
export function tellTitlesApart(rules: readonly Rule[], families: ReadonlyMap<string, Family>): void {
  const alike = new Map<string, Rule[]>();
  for (const rule of rules) {
    const { title } = textsOf(rule, families.get(rule.family)!);
    for (const type of rule.resource_types) {
      const key = `${type}\n${title}`;
      const group = alike.get(key);
      if (group === undefined) alike.set(key, [rule]);
      else group.push(rule);
    }
  }
  for (const group of alike.values()) if (group.length > 1) tellApart(group);
}

/** Words that tell nothing by themselves. */
const IDLE = new Set(['', 'enabled', 'enable', 'value', 'name', 'type', 'mode', 'permissions', 'configuration', 'values']);

function tellApart(group: readonly Rule[]): void {
  for (const way of WAYS) {
    const told = group.map(way);
    if (told.some((text) => IDLE.has(text.toLowerCase())) || new Set(told.map((text) => text.toLowerCase())).size < group.length) continue;
    for (const [i, rule] of group.entries()) rule.told_by = told[i]!;
    return;
  }
}
