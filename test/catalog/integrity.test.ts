import { readFileSync } from 'node:fs';
import { FRAMEWORKS_FOLDER } from '../../catalog/assessed.js';
import { compile } from '../../catalog/cel/environment.js';
import { FIREWALL_TYPES } from '../../catalog/cel/firewall/readers.js';
import { duplicates } from '../../catalog/catalog.js';
import { RuleSelector, readFrameworks } from '../../catalog/frameworks.js';
import { MORE_TYPES, readProviderSchemas } from '../../catalog/provider-schemas.js';
import { textsOf } from '../../catalog/texts.js';
import type { ExpandedRule } from '../../catalog/types.js';
import { PROVIDERS } from '../../schema/model.js';
import { expandWholeCatalog } from './whole-catalog.js';
import { needing, shared } from '../support/shared.js';

const LEAST_RULES = 9_853;
const FRAMEWORKS = 79;
/** Editions that the list does not have yet. */
const UNLISTED = new Set(['cis_ibm_1_1_0']);

const { sources, rules, mistakes } = expandWholeCatalog();
const families = new Map(sources.map(({ family }) => [family.family, family]));
const frameworkMistakes: string[] = [];
const frameworks = readFrameworks(FRAMEWORKS_FOLDER, frameworkMistakes);
const selector = new RuleSelector(rules);

/** Names that stand more than once. */
const repeated = (names: readonly string[]): string[] => {
  const seen = new Set<string>();
  return names.filter((name) => seen.size === seen.add(name).size);
};

describe('the catalog', () => {
  it('expands without a mistake', () => {
    expect(mistakes).toEqual([]);
  });

  it(`has at least ${LEAST_RULES} rules, some for each of the seven providers`, () => {
    expect(rules.length).toBeGreaterThanOrEqual(LEAST_RULES);
    expect([...new Set(rules.map(({ provider }) => provider))].sort()).toEqual([...PROVIDERS].sort());
  });

  it('gives every rule an id of its own, made of lower-case words', () => {
    expect(repeated(rules.map(({ rule_id }) => rule_id))).toEqual([]);
    expect(rules.map(({ rule_id }) => rule_id).filter((id) => !/^[a-z0-9]+(?:\.[a-z0-9_-]+)+$/.test(id))).toEqual([]);
  });

  it('never asks the same of a type twice', () => {
    expect(duplicates(rules)).toEqual([]);
  });

  it('compiles every expression and condition', () => {
    const faults = new Map<string, string>();
    const ofRule = new Map(rules.flatMap(({ rule_id, expression, applies }) => [expression, applies].map((text) => [text, rule_id])));
    for (const [expression, ruleId] of ofRule) {
      if (expression === undefined) continue;
      try {
        compile(expression);
      } catch (error) {
        faults.set(ruleId!, `${(error as Error).message}: ${expression}`);
      }
    }
    expect([...faults]).toEqual([]);
  });
});

it('rules about traffic are of types whose rules are understood', () => {
  const asking = rules.filter(({ expression, applies = '' }) => /\b(?:open_to_internet|ingress|egress)\(asset/.test(expression + applies));
  const types = new Set(asking.flatMap(({ resource_types }) => resource_types));
  expect([...types].filter((type) => !FIREWALL_TYPES.includes(type))).toEqual([]);
});

describe('the check for questions that are asked twice', () => {
  const rule = (more: Partial<ExpandedRule>): ExpandedRule => ({ ...rules[0]!, rule_id: 'a.b', resource_types: ['aws_a'], ...more });

  it('finds a repeated id and a repeated question, and lets another condition be', () => {
    expect(duplicates([rule({ expression: 'a' }), rule({ expression: 'b' })])).toEqual([expect.stringContaining('a.b is the id of two')]);
    expect(duplicates([rule({ expression: 'a' }), rule({ rule_id: 'a.c', expression: 'a' })])).toHaveLength(1);
    expect(duplicates([rule({ expression: 'a' }), rule({ rule_id: 'a.c', expression: 'a', applies: 'b' })])).toEqual([]);
  });
});

describe('the texts of every rule', () => {
  /** What a family's texts may name: facts of the rule, members of variants, a target's `vars`. */
  const variables = new Map(
    sources.map(({ family, targets }) => {
      const variants = family.variants.flatMap((variant) => Object.keys(variant));
      const vars = [...targets.values()].flat().flatMap((target) => Object.keys(target.vars ?? {}));
      return [family.family, new Set(['resource', 'type', 'attribute', 'expected', 'provider', ...variants, ...vars])];
    }),
  );
  const leftIn = (family: string, text: string): string[] =>
    [...text.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => name!).filter((name) => variables.get(family)!.has(name));
  const textOf = (rule: ExpandedRule): Record<string, string> => {
    const { title, description, rationale, steps, references } = textsOf(rule, families.get(rule.family)!);
    const actions = steps.map(({ action, detail = '' }) => `${action} ${detail}`).join('\n');
    const links = references.map(({ title: name, url }) => `${name} ${url}`).join('\n');
    // a rule that asks an expression may leave it at that
    return { title, description, rationale, expected: rule.expected || rule.expression, actions, links };
  };

  it('are filled', () => {
    const faults = rules.flatMap((rule) =>
      Object.entries(textOf(rule)).flatMap(([name, text]) => (text.trim() === '' ? [`${rule.rule_id}: ${name} is empty`] : [])),
    );
    expect(faults).toEqual([]);
  });

  it('have no template variable left, and neither have expressions and samples', () => {
    const faults = rules.flatMap((rule) => {
      const { rule_id, family, expression, applies = '', path = '', samples } = rule;
      const texts = Object.entries({ ...textOf(rule), expression, applies, path, samples: JSON.stringify(samples) });
      return texts.flatMap(([place, text]) => leftIn(family, text).map((name) => `${rule_id}: {${name}} is left in ${place}`));
    });
    expect(faults).toEqual([]);
  });
});

describe('the frameworks', () => {
  it('are read without a mistake: every control has a title and exactly one of rules, manual and planned', () => {
    expect(frameworkMistakes).toEqual([]);
  });

  it(`are ${FRAMEWORKS}, the ids of their controls unique`, () => {
    expect(frameworks).toHaveLength(FRAMEWORKS);
    expect(repeated(frameworks.map(({ framework_id }) => framework_id))).toEqual([]);
    const faults = frameworks.flatMap(({ framework_id, controls }) =>
      repeated(controls.map(({ control_id }) => control_id)).map((id) => `${framework_id} ${id}`),
    );
    expect(faults).toEqual([]);
  });

  it('select at least one rule with each selector, and 70 % of all rules together', () => {
    const found = new Map<string, number>();
    const mapped = new Set<string>();
    const empty: string[] = [];
    for (const { framework_id, providers, controls } of frameworks) {
      for (const { control_id, selectors } of controls) {
        for (const text of selectors) {
          const key = `${providers.join()} ${text}`;
          if (!found.has(key)) {
            const selected = selector.select(text).filter(({ provider }) => providers.includes(provider));
            for (const { rule_id } of selected) mapped.add(rule_id);
            found.set(key, selected.length);
          }
          if (found.get(key) === 0) empty.push(`${framework_id} ${control_id}: ${text}`);
        }
      }
    }
    expect(empty).toEqual([]);
    expect(mapped.size / rules.length).toBeGreaterThanOrEqual(0.7);
  });
});

const columns = (path: string): string[][] =>
  readFileSync(path, 'utf8')
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((line) => line.split('\t'));

const listed = shared('data/frameworks.tsv');
const listedControls = shared('data/controls.tsv');
needing(listed && listedControls).describe('the frameworks against the list', () => {
  it('are those of the list, in the version that it names', () => {
    const versions = new Map(frameworks.map(({ framework_id, version }) => [framework_id, version]));
    const rows = columns(listed!);
    expect([...versions.keys()].filter((id) => !UNLISTED.has(id)).sort()).toEqual(rows.map(([id]) => id).sort());
    // some have no version
    const faults = rows.filter(([id, , version]) => version !== '-' && versions.get(id!) !== version).map(([id]) => id);
    expect(faults).toEqual([]);
  });

  it('have the controls of the list', () => {
    const ours = frameworks
      .filter(({ framework_id }) => !UNLISTED.has(framework_id))
      .flatMap(({ framework_id, controls }) => controls.map(({ control_id }) => `${framework_id} ${control_id}`));
    const theirs = columns(listedControls!).map(([framework, control]) => `${framework} ${control}`);
    const [have, want] = [new Set(ours), new Set(theirs)];
    expect({ missing: theirs.filter((id) => !have.has(id)), unknown: ours.filter((id) => !want.has(id)) }).toEqual({
      missing: [],
      unknown: [],
    });
  });
});

const schemas = shared('data/provider-schemas');
needing(schemas).describe('the types and attributes of rules', () => {
  it("are those of the providers' schemas", () => {
    const { faults } = readProviderSchemas(schemas!, MORE_TYPES);
    expect(rules.flatMap((rule) => faults(rule))).toEqual([]);
  });

  it('would be found wrong', () => {
    const { faults } = readProviderSchemas(schemas!, MORE_TYPES);
    const rule = { ...rules[0]!, resource_types: ['aws_s3_bucket'] };
    expect(faults({ ...rule, path: 'versionning.enabled' })).toEqual([expect.stringContaining('has no attribute versionning.enabled')]);
    expect(faults({ ...rule, resource_types: ['aws_s3_pail'] })).toEqual([expect.stringContaining('there is no type aws_s3_pail')]);
    expect(faults({ ...rule, path: 'versioning.enabled' })).toEqual([]);
  });
});
