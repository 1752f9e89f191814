import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkFile } from './check-file.js';
import { RuleSet, type Verdict } from './evaluate.js';
import { globs } from './glob.js';
import { companionTypes } from './inventory.js';
import type { Rule } from './types.js';

/** Which of our rules answer which control of the labelled plans: rule ids or globs by control. */
export type AgreementTable = Map<string, string[]>;

/** A label: what a control should say of a resource. */
export interface Label {
  address: string;
  control: string;
  expected: 'pass' | 'fail';
}

/** A label that we do not follow, and why. */
export interface Disagreement {
  address: string;
  control: string;
  reason: string;
}

/** A plan with labels of one provider. */
export interface LabelledPlan {
  provider: string;
  plan: string;
  labels: Label[];
}

type Result = { rule_id: string; result: Verdict };

/** What became of the labels of one provider. */
export interface Agreement {
  labels: number;
  covered: number;
  agreed: number;
  disagreements: (Label & { actual: string; rules: string[] })[];
  uncovered: Map<string, number>;
}

/** The rows of a tab-separated file, its header left out. */
function readTable(path: string): string[][] {
  return readFileSync(path, 'utf8')
    .split(/\r?\n/)
    .slice(1)
    .filter((line) => line.trim() !== '')
    .map((line) => line.split('\t'));
}

/** The rows of `<folder>/<provider><end>` and of `<folder>/<provider>_<anything><end>`. */
function readTables(folder: string, provider: string, end: string): string[][] {
  if (!existsSync(folder)) return [];
  const wanted = globs([`${provider}${end}`, `${provider}_*${end}`]);
  return readdirSync(folder)
    .sort()
    .filter((file) => wanted.test(file) && file.includes('.disagreements.') === end.includes('.disagreements.'))
    .flatMap((file) => readTable(join(folder, file)));
}

/** Reads `catalog/agreement/<provider>*.tsv`. */
export function readAgreement(folder: string, provider: string): AgreementTable {
  const table: AgreementTable = new Map();
  for (const [control = '', rules = ''] of readTables(folder, provider, '.tsv')) {
    const patterns = rules.split(/\s+/).filter(Boolean);
    if (patterns.length > 0) table.set(control, [...(table.get(control) ?? []), ...patterns]);
  }
  return table;
}

/** Reads `catalog/agreement/<provider>*.disagreements.tsv`. */
export function readDisagreements(folder: string, provider: string): Disagreement[] {
  return readTables(folder, provider, '.disagreements.tsv').map(([address = '', control = '', reason = '']) => ({
    address,
    control,
    reason: reason.trim(),
  }));
}

/** The plans `checkov_<provider>_dev.plan.json` of a folder that have labels beside them. */
export function labelledPlans(folder: string): LabelledPlan[] {
  return readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const provider = /^[a-z]+_([a-z0-9]+)_dev\.labels\.tsv$/.exec(file)?.[1];
      if (provider === undefined) return [];
      const labels = readTable(join(folder, file)).map(([address, control, expected]) => ({ address, control, expected }) as Label);
      return [{ provider, plan: join(folder, file.replace('.labels.tsv', '.plan.json')), labels }];
    });
}

/** What rules say of the resources of a plan, by address. */
export async function judgePlan(plan: string, rules: readonly Rule[]): Promise<Map<string, Result[]>> {
  const results = new Map<string, Result[]>();
  await checkFile(plan, new RuleSet(rules), companionTypes(rules), ({ asset, evaluations }) => {
    const verdicts = evaluations.map(({ rule, result }) => ({ rule_id: rule.rule_id, result }));
    results.set(asset.source.address, verdicts);
  });
  return results;
}

/**
 * Compares results with labels. A control's verdict on a resource is FAIL when any of its rules fails, else PASS when any passes; a label
 * without such a verdict is not covered.
 */
export function compare(
  labels: readonly Label[],
  table: AgreementTable,
  resultsOf: (address: string) => readonly Result[] | undefined,
): Agreement {
  const agreement: Agreement = { labels: labels.length, covered: 0, agreed: 0, disagreements: [], uncovered: new Map() };
  const patterns = new Map([...table].map(([control, rules]) => [control, globs(rules)]));
  for (const label of labels) {
    const pattern = patterns.get(label.control);
    const results = (resultsOf(label.address) ?? []).filter(({ rule_id }) => pattern?.test(rule_id));
    const actual = (['fail', 'pass'] as const).find((verdict) => results.some(({ result }) => result === verdict.toUpperCase()));
    if (actual === undefined) {
      agreement.uncovered.set(label.control, (agreement.uncovered.get(label.control) ?? 0) + 1);
      continue;
    }
    agreement.covered += 1;
    if (actual === label.expected) {
      agreement.agreed += 1;
      continue;
    }
    const rules = results.filter(({ result }) => result === actual.toUpperCase()).map(({ rule_id }) => rule_id);
    agreement.disagreements.push({ ...label, actual, rules });
  }
  return agreement;
}
