import { checkInventory } from '../../catalog/check-file.js';
import { RuleSet } from '../../catalog/evaluate.js';
import { companionTypes } from '../../catalog/inventory.js';
import { reportedOf } from '../../catalog/standing.js';
import type { Severity } from '../../schema/model.js';
import { findSources } from '../../sources/find.js';
import { expandWholeCatalog } from '../catalog/whole-catalog.js';

/** A finding of the recommended rules, with those that it stands for. */
export interface Finding {
  rules: string[];
  severity: Severity;
}

const { rules } = expandWholeCatalog();
const recommended = rules.filter((rule) => rule.recommended === true);
const set = new RuleSet(recommended);
const companions = companionTypes(recommended);

/** What `palisade check` tells of a folder, by the addresses of its resources; of those without a finding, an empty list. */
export async function judged(folder: string): Promise<Map<string, Finding[]>> {
  const { sources, unreadable } = await findSources([folder], { readInput: () => Promise.resolve(Buffer.from('')) });
  expect(unreadable).toEqual([]);
  const found = new Map<string, Finding[]>();
  for (const source of sources) {
    const { broken } = await checkInventory(source, set, companions, ({ asset, evaluations }) => {
      const reported = reportedOf(evaluations.filter(({ result }) => result === 'FAIL'));
      const findings = reported.map(({ evaluation, implied }) => ({
        rules: [evaluation, ...implied].map(({ rule }) => rule.rule_id),
        severity: evaluation.rule.severity,
      }));
      found.set(asset.source.address, findings);
    });
    expect(broken).toEqual([]);
  }
  return found;
}

const whole = new RuleSet(rules);
const wholeCompanions = companionTypes(rules);

/** What each rule of the catalog says of each resource below a folder, by address and id of the rule. */
export async function judgements(folder: string): Promise<Map<string, Map<string, string>>> {
  const { sources } = await findSources([folder], { readInput: () => Promise.resolve(Buffer.from('')) });
  const found = new Map<string, Map<string, string>>();
  for (const source of sources)
    await checkInventory(source, whole, wholeCompanions, ({ asset, evaluations }) => {
      found.set(asset.source.address, new Map(evaluations.map(({ rule, result }) => [rule.rule_id, result])));
    });
  return found;
}
