import { relative } from 'node:path';
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

/**
 * What rules say of each resource below a folder, by the file, the address and the id of the rule. An address that stands in one file twice is left out:
 * nobody can tell which is meant.
 */
export async function judgements(folder: string, wants: (ruleId: string) => boolean): Promise<Map<string, Map<string, string>>> {
  const wanted = rules.filter(({ rule_id }) => wants(rule_id));
  const asked = new RuleSet(wanted);
  const around = companionTypes(wanted);
  const { sources } = await findSources([folder], { readInput: () => Promise.resolve(Buffer.from('')) });
  const found = new Map<string, Map<string, string>>();
  const twice = new Set<string>();
  for (const source of sources)
    await checkInventory(source, asked, around, ({ asset, evaluations }) => {
      const subject = `${relative(folder, source.placeOf(asset).file)} ${asset.source.address}`;
      if (found.has(subject)) twice.add(subject);
      found.set(subject, new Map(evaluations.map(({ rule, result }) => [rule.rule_id, result])));
    });
  for (const subject of twice) found.delete(subject);
  return found;
}
