import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expandFamilies } from './expand.js';
import { CatalogError, readFamilies } from './families.js';
import type { ExpandedRule, Family, Rule } from './types.js';

/** The catalog: families, and the rules that they make. */
export interface CatalogData {
  families: Family[];
  rules: Rule[];
}

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** The folder of the families' files. */
export const FAMILIES_FOLDER = here('./families');
/** What the build writes beside this module, so that a start reads one file. */
export const BUILT_CATALOG = here('./catalog.json');

/**
 * Expands the families' files.
 * @throws CatalogError with every mistake in them
 */
export function expandCatalog(folder = FAMILIES_FOLDER): { families: Family[]; rules: ExpandedRule[] } {
  const mistakes: string[] = [];
  const sources = readFamilies(folder, mistakes);
  const rules = expandFamilies(sources, mistakes);
  mistakes.push(...duplicates(rules));
  if (mistakes.length > 0) throw new CatalogError(mistakes);
  return { families: sources.map(({ family }) => family), rules };
}

/** Rules that share an id, or ask the same of the same type. */
export function duplicates(rules: readonly Rule[]): string[] {
  const mistakes: string[] = [];
  const ids = new Set<string>();
  const asked = new Map<string, string>();
  for (const rule of rules) {
    if (ids.has(rule.rule_id)) mistakes.push(`${rule.rule_id} is the id of two rules (again in the family ${rule.family})`);
    ids.add(rule.rule_id);
    for (const type of rule.resource_types) {
      const question = `${type}\n${rule.applies ?? ''}\n${rule.expression}`;
      const other = asked.get(question);
      if (other !== undefined) mistakes.push(`${rule.rule_id} asks the same of ${type} as ${other}: ${rule.expression}`);
      asked.set(question, rule.rule_id);
    }
  }
  return mistakes;
}

let loaded: CatalogData | undefined;

/** The catalog: what the build wrote, or expanded from the files where nothing was built. Loaded once a process. */
export function loadCatalog(): CatalogData {
  loaded ??= existsSync(BUILT_CATALOG) ? (JSON.parse(readFileSync(BUILT_CATALOG, 'utf8')) as CatalogData) : withoutSamples(expandCatalog());
  return loaded;
}

let byId: ReadonlyMap<string, Rule> | undefined;

/** A rule of the catalog; undefined for an id that there is none of. */
export const findCatalogRule = (ruleId: string): Rule | undefined =>
  (byId ??= new Map(loadCatalog().rules.map((rule) => [rule.rule_id, rule]))).get(ruleId);

/** What the build keeps: samples are for tests. */
export function withoutSamples({ families, rules }: { families: Family[]; rules: ExpandedRule[] }): CatalogData {
  return { families, rules: rules.map(({ samples: _samples, ...rule }) => rule) };
}
