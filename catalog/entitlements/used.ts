import { matchesPattern } from '../cel/policy.js';
import type { Actions, Done } from '../actions/actions.js';

/** What was done by an identity, as an audit log or a report of last access tells it. */
export interface Use extends Done {
  used_at: Date;
  /** The resources on which it was done; null where nobody tells all of them. */
  resources: readonly string[] | null;
}

/** A right that was used. */
export interface UsedRight {
  right: string;
  used_at: Date;
  /** As policies write them; null where they are not known. */
  resources: string[] | null;
}

/** The rights that were used at or after a time, by name. */
export function usedRights(actions: Actions, uses: readonly Use[], since: Date): UsedRight[] {
  const found = new Map<string, UsedRight & { all: Set<string> | null }>();
  for (const use of uses) {
    if (use.used_at < since) continue;
    for (const right of actions.rightsOf(use)) {
      const key = right.toLowerCase();
      const before = found.get(key);
      const places = placesOf(actions, right, use);
      const all = before === undefined ? places : before.all === null || places === null ? null : new Set([...before.all, ...places]);
      const used_at = before !== undefined && before.used_at > use.used_at ? before.used_at : use.used_at;
      found.set(key, { right: before?.right ?? right, used_at, resources: null, all });
    }
  }
  return [...found.values()]
    .map(({ right, used_at, all }) => ({ right, used_at, resources: all === null ? null : [...all].sort() }))
    .sort((a, b) => (a.right < b.right ? -1 : 1));
}

/** Where a right was used, if calls of its kind name all that they are asked on; where rights stand in the log, so does their resource. */
function placesOf(actions: Actions, right: string, { resources, is_right }: Use): Set<string> | null {
  if (resources === null || resources.length === 0) return null;
  if (is_right && actions.table.told) return new Set(resources);
  const written = resources.map((resource) => actions.resourceOf(right, resource)).filter((resource) => resource !== undefined);
  return written.length === 0 ? null : new Set(written);
}

/** Whether one of some patterns holds a right. */
export const isHeld = (patterns: readonly string[], right: string): boolean => patterns.some((pattern) => matchesPattern(pattern, right));
