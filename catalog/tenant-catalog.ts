import { fillParameters } from './checks.js';
import type { Family, Parameters, Rule } from './types.js';
import type { Severity } from '../schema/model.js';

/** What a tenant changes in a rule of the catalog. */
export interface RuleChange {
  rule_id: string;
  enabled: boolean;
  severity: Severity | null;
  parameters: Readonly<Record<string, unknown>> | null;
}

/** The catalog's rules as a tenant wants them: without those that are off, with the tenant's severities and values. */
export function applyChanges(rules: readonly Rule[], changes: readonly RuleChange[]): readonly Rule[] {
  if (changes.length === 0) return rules;
  const byId = new Map(changes.map((change) => [change.rule_id, change]));
  return rules.flatMap((rule) => {
    const change = byId.get(rule.rule_id);
    if (change === undefined) return [rule];
    return change.enabled ? [changed(rule, change)] : [];
  });
}

function changed(rule: Rule, { severity, parameters }: RuleChange): Rule {
  const own = parameters === null || rule.template === undefined ? rule : withParameters(rule, parameters as Parameters);
  return severity === null ? own : { ...own, severity, severity_set: true };
}

/** A rule with other values for its parameters. */
export function withParameters(rule: Rule, values: Parameters): Rule {
  const parameters = { ...rule.parameters, ...values };
  const words = Object.entries(values).map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(', ') : String(value)}`);
  return {
    ...rule,
    parameters,
    expression: fillParameters(rule.template ?? rule.expression, parameters),
    expected: `${rule.expected} (here: ${words.join(', ')})`,
  };
}

/** What is wrong with values for a rule's parameters: unknown names, other kinds. */
export function parameterFaults(rule: Rule, values: Readonly<Record<string, unknown>>): { name: string; message: string }[] {
  const known = rule.parameters ?? {};
  return Object.entries(values).flatMap(([name, value]) => {
    const own = known[name];
    if (own === undefined) {
      const names = Object.keys(known);
      return [{ name, message: names.length === 0 ? 'the rule has no parameters' : `the rule's parameters are ${names.join(', ')}` }];
    }
    if (!Array.isArray(own)) return typeof value === 'number' && Number.isFinite(value) ? [] : [{ name, message: 'must be a number' }];
    const kinds = new Set(own.map((item: unknown) => typeof item));
    const fits = Array.isArray(value) && value.length > 0 && value.length <= 100 && value.every((item: unknown) => kinds.has(typeof item));
    return fits ? [] : [{ name, message: `must be a list of 1 to 100 of: ${[...kinds].join(', ')}` }];
  });
}

/** Families by name. */
export const familiesByName = (families: readonly Family[]): ReadonlyMap<string, Family> =>
  new Map(families.map((family) => [family.family, family]));
