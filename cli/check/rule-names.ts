import type { CatalogData } from '../../catalog/catalog.js';
import { globs } from '../../catalog/glob.js';
import { didYouMean } from '../did-you-mean.js';

/** What is wrong with a glob of ids and families that no rule of the catalog matches, with the name that is nearest; undefined where one does. */
export function unknownRule(glob: string, { rules, families }: CatalogData): string | undefined {
  const pattern = globs([glob]);
  if (rules.some(({ rule_id, family }) => pattern.test(rule_id) || pattern.test(family))) return undefined;
  const names = [...families.map(({ family }) => family), ...rules.map(({ rule_id }) => rule_id)];
  return `${glob} matches no rule${didYouMean(glob, names)}`;
}
