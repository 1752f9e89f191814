import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { compare, readAgreement, readTable, type Label } from '../catalog/agreement.js';
import { parsePath } from '../catalog/attribute-path.js';
import { duplicates } from '../catalog/catalog.js';
import { checkFile } from '../catalog/check-file.js';
import { compile } from '../catalog/cel/environment.js';
import { RuleSet, type Verdict } from '../catalog/evaluate.js';
import { expandFamilies } from '../catalog/expand.js';
import { readFamilies } from '../catalog/families.js';
import { RuleSelector, readFrameworks } from '../catalog/frameworks.js';
import { companionTypes } from '../catalog/inventory.js';
import { sampleVerdict } from '../catalog/samples.js';
import { readProviderSchemas } from '../catalog/provider-schemas.js';
import type { ExpandedRule } from '../catalog/types.js';

/**
 * `node scripts/catalog-check.mjs [provider] [family...] [--labels provider] [--frameworks] [--quiet]`: what is wrong with the catalog's
 * files, counts per family, and the agreement with labelled plans.
 */
const args = process.argv.slice(2);
const flags = args.filter((arg) => arg.startsWith('--'));
const labelsAt = args.indexOf('--labels');
const labelled = labelsAt === -1 ? undefined : args[labelsAt + 1];
const words = args.filter((arg, i) => !arg.startsWith('--') && (labelsAt === -1 || i !== labelsAt + 1));
const root = process.cwd();
const shared = join(root, '..', 'shared', 'data');

const [provider, ...families] = words;
const mistakes: string[] = [];
const all = expandFamilies(readFamilies(join(root, 'catalog/families'), mistakes), mistakes);
mistakes.push(...duplicates(all));
const mine = (rule: ExpandedRule): boolean =>
  (!provider || rule.provider === provider) && (families.length === 0 || families.includes(rule.family));
const rules = all.filter(mine);

for (const rule of rules) {
  try {
    compile(rule.expression);
    if (rule.applies) compile(rule.applies);
    const [pass, fail] = [sampleVerdict(rule, rule.samples.pass), sampleVerdict(rule, rule.samples.fail)];
    if (pass.result !== 'PASS')
      mistakes.push(
        `${rule.rule_id}: its passing sample is ${pass.result} ${pass.reason ?? ''} | ${rule.expression} | ${JSON.stringify(rule.samples.pass)}`,
      );
    if (fail.result !== 'FAIL')
      mistakes.push(
        `${rule.rule_id}: its failing sample is ${fail.result} ${fail.reason ?? ''} | ${rule.expression} | ${JSON.stringify(rule.samples.fail)}`,
      );
  } catch (error) {
    mistakes.push(`${rule.rule_id}: ${(error as Error).message} | ${rule.expression}`);
  }
}
const schemas = readProviderSchemas(join(shared, 'provider-schemas'));
for (const rule of rules) mistakes.push(...schemas.faults(rule));

const counts = new Map<string, Map<string, number>>();
for (const rule of all) {
  const row = counts.get(rule.provider) ?? new Map<string, number>();
  row.set(rule.family, (row.get(rule.family) ?? 0) + 1);
  counts.set(rule.provider, row);
}
const relevant = mistakes.filter(
  (mistake) => !provider || mistake.includes(`${provider}.`) || mistake.includes(`/${provider}`) || mistake.includes('family.yaml'),
);
const shown = flags.includes('--all') ? relevant : relevant.slice(0, 60);
console.log(shown.join('\n'));
console.log(`${relevant.length} mistakes (${mistakes.length} in the whole catalog)`);
if (!flags.includes('--quiet'))
  for (const [name, row] of counts)
    if (!provider || name === provider)
      console.log(
        name,
        [...row.values()].reduce((a, b) => a + b, 0),
        [...row].map(([family, count]) => `${family}:${count}`).join(' '),
      );
console.log('total', all.length);

if (labelled) {
  const folder = join(shared, 'samples/terraform_plan_derived');
  const file = readdirSync(folder).find((name) => name.includes(`_${labelled}_`) && name.endsWith('.plan.json'))!;
  const results = new Map<string, { rule_id: string; result: Verdict }[]>();
  const set = new RuleSet(all);
  await checkFile(join(folder, file), set, companionTypes(all), ({ asset, evaluations }) => {
    results.set(
      asset.source.address,
      evaluations.map(({ rule, result }) => ({ rule_id: rule.rule_id, result })),
    );
  });
  const labels = readTable(join(folder, file.replace('.plan.json', '.labels.tsv'))).map(
    ([address, control, expected]) => ({ address, control, expected }) as Label,
  );
  const table = readAgreement(join(root, 'catalog/agreement'), labelled === 'k8s' ? 'kubernetes' : labelled);
  for (const [control, pattern] of table)
    if (!all.some(({ rule_id }) => pattern.test(rule_id))) console.log(`control ${control}: no rule matches ${pattern.source}`);
  const { covered, agreed, disagreements, uncovered } = compare(labels, table, (address) => results.get(address) ?? []);
  for (const { control, address, expected, said, rules: named } of disagreements)
    console.log(`DISAGREE ${control} ${address}: label ${expected}, ours ${said} by ${named.slice(0, 4).join(' ')}`);
  console.log('uncovered:', [...uncovered].map(([control, count]) => `${control}:${count}`).join(' '));
  console.log(
    `${labelled}: ${labels.length} labels, covered ${covered} (${((100 * covered) / labels.length).toFixed(1)} %), agreed ${agreed} (${((100 * agreed) / Math.max(covered, 1)).toFixed(1)} %)`,
  );
}

if (flags.includes('--frameworks') && existsSync(join(root, 'catalog/frameworks'))) {
  const found: string[] = [];
  const selector = new RuleSelector(all);
  const mapped = new Set<string>();
  for (const framework of readFrameworks(join(root, 'catalog/frameworks'), found)) {
    let assessed = 0;
    let planned = 0;
    for (const control of framework.controls) {
      if (control.planned) planned += 1;
      if (control.selectors.length) assessed += 1;
      for (const text of control.selectors) {
        const selected = selector.select(text, framework.providers);
        if (selected.length === 0) found.push(`${framework.framework_id} ${control.control_id}: ${text} selects no rule`);
        for (const { rule_id } of selected) mapped.add(rule_id);
      }
    }
    console.log(
      `${framework.framework_id}: ${framework.controls.length} controls, ${assessed} mapped, ${planned} planned, ${framework.controls.length - assessed - planned} manual`,
    );
  }
  console.log(found.slice(0, 100).join('\n'));
  console.log(`${found.length} mistakes; rules mapped ${mapped.size} of ${all.length}`);
}
void readFileSync;
void parsePath;
