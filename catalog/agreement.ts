import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verdict } from './evaluate.js';

/** Which of our rules answer which control of the labelled plans: rule ids or globs by control. */
export type AgreementTable = Map<string, RegExp>;

/** A label: what a control should say of a resource. */
export interface Label {
  address: string;
  control: string;
  expected: 'pass' | 'fail';
}

/** What became of the labels of one provider. */
export interface Agreement {
  labels: number;
  covered: number;
  agreed: number;
  disagreements: (Label & { said: string; rules: string[] })[];
  uncovered: Map<string, number>;
}

/** The rows of a tab-separated file, its header left out. */
export function readTable(path: string): string[][] {
  return readFileSync(path, 'utf8')
    .split(/\r?\n/)
    .slice(1)
    .filter((line) => line.trim() !== '')
    .map((line) => line.split('\t'));
}

/** Reads `catalog/agreement/<provider>*.tsv`. */
export function readAgreement(folder: string, provider: string): AgreementTable {
  const table: AgreementTable = new Map();
  if (!existsSync(folder)) return table;
  for (const file of readdirSync(folder).sort()) {
    if (!new RegExp(`^${provider}(?:_\\w+)?\\.tsv$`).test(file)) continue;
    for (const [control = '', rules = ''] of readTable(join(folder, file))) {
      const patterns = rules.split(/\s+/).filter(Boolean);
      if (patterns.length === 0) continue;
      const source = patterns.map((pattern) => pattern.replace(/[.+^${}()|[\]\\?]/g, '\\$&').replace(/\*/g, '.*')).join('|');
      const before = table.get(control);
      table.set(control, new RegExp(before === undefined ? `^(?:${source})$` : `${before.source}|^(?:${source})$`));
    }
  }
  return table;
}

/**
 * Compares results with labels. A control's verdict on a resource is FAIL when any of its rules fails, else PASS when any passes; a label
 * without such a verdict is not covered.
 */
export function compare(
  labels: readonly Label[],
  table: AgreementTable,
  resultsOf: (address: string) => readonly { rule_id: string; result: Verdict }[],
): Agreement {
  const agreement: Agreement = { labels: labels.length, covered: 0, agreed: 0, disagreements: [], uncovered: new Map() };
  for (const label of labels) {
    const pattern = table.get(label.control);
    const results = pattern === undefined ? [] : resultsOf(label.address).filter(({ rule_id }) => pattern.test(rule_id));
    const said = results.some(({ result }) => result === 'FAIL')
      ? 'fail'
      : results.some(({ result }) => result === 'PASS')
        ? 'pass'
        : undefined;
    if (said === undefined) {
      agreement.uncovered.set(label.control, (agreement.uncovered.get(label.control) ?? 0) + 1);
      continue;
    }
    agreement.covered += 1;
    if (said === label.expected) agreement.agreed += 1;
    else
      agreement.disagreements.push({
        ...label,
        said,
        rules: results.filter(({ result }) => result === said.toUpperCase()).map(({ rule_id }) => rule_id),
      });
  }
  return agreement;
}
