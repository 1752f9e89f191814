import type { Held } from '../access/held.js';
import { holds } from '../access/pattern.js';
import type { AccessRule } from '../access/types.js';
import type { UsedRight } from './used.js';

/** What of one statement or binding was used. */
export interface Chosen {
  rule: AccessRule;
  rights: string[];
  /** Where: the resources on which it was used, or those of the statement where they are not known. */
  resources: string[];
  not_resources: string[];
}

/** The parts of what an identity is given that it used. */
export interface Choice {
  chosen: Chosen[];
  /** Used rights that nothing of its own gives it now. */
  left_out: string[];
}

const texts = (patterns: readonly (string | null)[]): string[] => patterns.filter((pattern) => pattern !== null);

/**
 * Of each statement that gives a used right the right alone, on the resources on which it was used where they are known and the statement holds them.
 * @param isOwn whether a statement is the identity's own, and not a resource's
 * @param placesOf a resource of the log as statements of the identity name it; undefined for one that they cannot hold
 */
export function chosenOf(
  held: Held,
  used: readonly UsedRight[],
  isOwn: (rule: AccessRule) => boolean,
  placesOf: (rule: AccessRule, resource: string) => string | undefined,
): Choice {
  const found = new Map<string, Chosen>();
  const left_out: string[] = [];
  const own = held.allows.filter((rule) => isOwn(rule) && rule.condition({ ...held.call, action: '*', resources: [] }) !== false);
  for (const { right, resources } of used) {
    const giving = own.filter((rule) => holds(rule.actions, right) === true);
    if (giving.length === 0) left_out.push(right);
    const narrow = giving.map((rule) => narrowed(rule, resources, placesOf));
    const isKnown = narrow.some((places) => places.length > 0);
    giving.forEach((rule, n) => {
      const places = isKnown ? narrow[n]! : texts(rule.resources.include);
      if (places.length === 0) return;
      const not_resources = isKnown ? [] : texts(rule.resources.exclude);
      const key = JSON.stringify([own.indexOf(rule), places, not_resources]);
      const chosen = found.get(key) ?? { rule, rights: [], resources: places, not_resources };
      chosen.rights.push(right);
      found.set(key, chosen);
    });
  }
  return { chosen: [...found.values()], left_out };
}

/** The resources of a used right that a statement holds; none where one of them is not known. */
function narrowed(
  rule: AccessRule,
  resources: readonly string[] | null,
  placesOf: (rule: AccessRule, resource: string) => string | undefined,
): string[] {
  if (resources === null) return [];
  return [...new Set(resources.flatMap((resource) => placesOf(rule, resource) ?? []))].sort();
}
