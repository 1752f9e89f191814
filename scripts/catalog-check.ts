import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compare, judgePlan, labelledPlans, readAgreement } from '../catalog/agreement.js';
import { duplicates } from '../catalog/catalog.js';
import { compile } from '../catalog/cel/environment.js';
import { expandFamilies } from '../catalog/expand.js';
import { readFamilies } from '../catalog/families.js';
import { RuleSelector, readFrameworks, type Framework } from '../catalog/frameworks.js';
import { globs } from '../catalog/glob.js';
import { MORE_TYPES, readProviderSchemas } from '../catalog/provider-schemas.js';
import { sampleVerdict } from '../catalog/samples.js';
import type { ExpandedRule } from '../catalog/types.js';

// What is wrong with the catalog's files, the number of rules of each family, and, where asked for, the agreement with labelled plans and
// what frameworks select. Run from the root of the project, for a provider and families or for all:
// node scripts/catalog-check.mjs [provider] [family...] [--labels provider] [--frameworks] [--quiet] [--all]
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    labels: { type: 'string' },
    frameworks: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
  },
});
const [provider, ...families] = positionals;

const SHOWN = 60;
const SHOWN_OF_FRAMEWORKS = 100;
const root = process.cwd();
const shared = join(root, '..', 'shared', 'data');
const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(whole, 1)).toFixed(1)} %`;

const mistakes: string[] = [];
const rules = expandFamilies(readFamilies(join(root, 'catalog/families'), mistakes), mistakes);
mistakes.push(...duplicates(rules));
const schemas = readProviderSchemas(join(shared, 'provider-schemas'), MORE_TYPES);
for (const rule of rules.filter(isAsked)) mistakes.push(...faultsOf(rule), ...schemas.faults(rule));
showMistakes();
if (!flags.quiet) showCounts();
console.log('total', rules.length);
if (flags.labels !== undefined) await showAgreement(flags.labels);
if (flags.frameworks) showFrameworks();

function isAsked(rule: ExpandedRule): boolean {
  return (!provider || rule.provider === provider) && (families.length === 0 || families.includes(rule.family));
}

function faultsOf(rule: ExpandedRule): string[] {
  const { rule_id, expression, applies, samples } = rule;
  try {
    for (const text of [expression, applies]) if (text !== undefined) compile(text);
  } catch (error) {
    return [`${rule_id}: ${(error as Error).message} | ${expression}`];
  }
  return (['pass', 'fail'] as const).flatMap((wanted) => {
    const { result, reason = '' } = sampleVerdict(rule, samples[wanted]);
    if (result === wanted.toUpperCase()) return [];
    return [`${rule_id}: its ${wanted}ing sample is ${result} ${reason} | ${expression} | ${JSON.stringify(samples[wanted])}`];
  });
}

function showMistakes(): void {
  const places = [`${provider}.`, `/${provider}`, 'family.yaml'];
  const relevant = mistakes.filter((mistake) => !provider || places.some((place) => mistake.includes(place)));
  console.log((flags.all ? relevant : relevant.slice(0, SHOWN)).join('\n'));
  console.log(`${relevant.length} mistakes (${mistakes.length} in the whole catalog)`);
}

function showCounts(): void {
  for (const name of new Set(rules.map((rule) => rule.provider))) {
    if (provider && name !== provider) continue;
    const own = rules.filter((rule) => rule.provider === name);
    const counts = new Map<string, number>();
    for (const { family } of own) counts.set(family, (counts.get(family) ?? 0) + 1);
    console.log(name, own.length, [...counts].map(([family, count]) => `${family}:${count}`).join(' '));
  }
}

async function showAgreement(asked: string): Promise<void> {
  const name = asked === 'k8s' ? 'kubernetes' : asked;
  const labelled = labelledPlans(join(shared, 'samples/terraform_plan_derived')).find((one) => one.provider === name);
  if (labelled === undefined) throw new Error(`there is no labelled plan of ${name}`);
  const results = await judgePlan(labelled.plan, rules);
  const table = readAgreement(join(root, 'catalog/agreement'), name);
  for (const [control, patterns] of table) {
    for (const pattern of patterns)
      if (!rules.some(({ rule_id }) => globs([pattern]).test(rule_id))) console.log(`control ${control}: no rule matches ${pattern}`);
  }
  const { labels, covered, agreed, disagreements, uncovered } = compare(labelled.labels, table, (address) => results.get(address));
  for (const { control, address, expected, actual, rules: named } of disagreements)
    console.log(`DISAGREE ${control} ${address}: label ${expected}, ours ${actual} by ${named.slice(0, 4).join(' ')}`);
  console.log('uncovered:', [...uncovered].map(([control, count]) => `${control}:${count}`).join(' '));
  const numbers = `covered ${covered} (${percent(covered, labels)}), agreed ${agreed} (${percent(agreed, covered)})`;
  console.log(`${asked}: ${labels} labels, ${numbers}`);
}

function showFrameworks(): void {
  const folder = join(root, 'catalog/frameworks');
  if (!existsSync(folder)) return;
  const found: string[] = [];
  const mapped = new Set<string>();
  const selector = new RuleSelector(rules);
  for (const framework of readFrameworks(folder, found)) showFramework(framework, selector, mapped, found);
  console.log(found.slice(0, SHOWN_OF_FRAMEWORKS).join('\n'));
  console.log(`${found.length} mistakes; rules mapped ${mapped.size} of ${rules.length}`);
}

function showFramework(
  { framework_id, providers, controls }: Framework,
  selector: RuleSelector,
  mapped: Set<string>,
  found: string[],
): void {
  for (const { control_id, selectors } of controls) {
    for (const text of selectors) {
      const selected = selector.select(text).filter(({ provider: own }) => providers.includes(own));
      if (selected.length === 0) found.push(`${framework_id} ${control_id}: ${text} selects no rule`);
      for (const { rule_id } of selected) mapped.add(rule_id);
    }
  }
  const assessed = controls.filter(({ selectors }) => selectors.length > 0).length;
  const planned = controls.filter((control) => control.planned !== undefined).length;
  const manual = controls.length - assessed - planned;
  console.log(`${framework_id}: ${controls.length} controls, ${assessed} mapped, ${planned} planned, ${manual} manual`);
}
