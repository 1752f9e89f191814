import { RuleSelector } from './frameworks.js';
import { globs } from './glob.js';
import type { Family, Rule } from './types.js';

/** What some rules are said to make redundant, and where that is said. */
export interface Said {
  place: string;
  by: readonly Rule[];
  /** Selectors. */
  rules: readonly string[];
}

/** What a family says of its rules. @param mistakes takes what is said of none */
export function saidByFamily({ family, implies }: Family, rules: readonly Rule[], mistakes: string[]): Said[] {
  if (implies.length === 0) return [];
  const own = rules.filter((rule) => rule.family === family);
  return implies.map(({ by, rules: selectors }) => {
    const place = `${family}/family.yaml`;
    for (const end of by ?? [])
      if (!own.some(endsWith([end]))) mistakes.push(`${place} implies: ${end} is the end of no rule of the family`);
    return { place, by: by === undefined ? own : own.filter(endsWith(by)), rules: selectors };
  });
}

const endsWith = (ends: readonly string[]): ((rule: Rule) => boolean) => {
  const pattern = globs(ends.map((end) => `*.${end}`));
  return ({ rule_id }) => pattern.test(rule_id);
};

/**
 * Sets `implies` of rules: the rules of a type in common that the selectors name, and all that these imply.
 * @param mistakes takes selectors that name nothing on the types of those that imply, and rules that imply themselves
 */
export function addImplications(rules: readonly Rule[], said: readonly Said[], mistakes: string[]): void {
  const selector = new RuleSelector(rules);
  const byType = new Map<string, ReadonlyMap<string, Rule[]>>();
  const named = (text: string): ReadonlyMap<string, Rule[]> => {
    let found = byType.get(text);
    if (found === undefined) byType.set(text, (found = groupedByType(selector.select(text))));
    return found;
  };
  const direct = new Map<Rule, Set<Rule>>();
  for (const { place, by, rules: selectors } of said) {
    for (const text of selectors) {
      let isSeen = false;
      for (const rule of by) {
        for (const other of rule.resource_types.flatMap((type) => named(text).get(type) ?? [])) {
          if (other === rule) continue;
          isSeen = true;
          // who reads a finding reads what it stands for, and whoever takes in the one takes in the other
          if (other.engine !== rule.engine) continue;
          const implied = direct.get(rule);
          if (implied === undefined) direct.set(rule, new Set([other]));
          else implied.add(other);
        }
      }
      if (!isSeen) mistakes.push(`${place} implies: ${text} names no other rule of the same resource type`);
    }
  }
  const closed = new Map<Rule, ReadonlySet<Rule>>();
  for (const rule of direct.keys()) {
    const implied = closure(rule, direct, closed, [], mistakes);
    rule.implies = [...implied].map(({ rule_id }) => rule_id).sort();
  }
}

function groupedByType(rules: readonly Rule[]): ReadonlyMap<string, Rule[]> {
  const grouped = new Map<string, Rule[]>();
  for (const rule of rules) {
    for (const type of rule.resource_types) {
      const list = grouped.get(type);
      if (list === undefined) grouped.set(type, [rule]);
      else list.push(rule);
    }
  }
  return grouped;
}

/** @param way the rules that led here: one that is met again implies itself */
function closure(
  rule: Rule,
  direct: ReadonlyMap<Rule, ReadonlySet<Rule>>,
  closed: Map<Rule, ReadonlySet<Rule>>,
  way: readonly Rule[],
  mistakes: string[],
): ReadonlySet<Rule> {
  const known = closed.get(rule);
  if (known !== undefined) return known;
  if (way.includes(rule)) {
    const circle = [...way.slice(way.indexOf(rule)), rule].map(({ rule_id }) => rule_id);
    mistakes.push(`implies: a circle of ${circle.join(' -> ')}`);
    return new Set();
  }
  const all = new Set<Rule>();
  for (const implied of direct.get(rule) ?? []) {
    all.add(implied);
    for (const further of closure(implied, direct, closed, [...way, rule], mistakes)) all.add(further);
  }
  closed.set(rule, all);
  return all;
}
