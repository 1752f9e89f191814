import type { EngineContext } from '../../../kit/engine/context.js';
import type { FindingFacts } from '../../../kit/engine/finding-facts.js';
import { addGroup, emptyGroup, groupsOf, momentsOf, type GroupCounts, type GroupedBy } from '../../../kit/findings/groups.js';
import { byOwner } from './by-owner.js';
import type { Way } from './way.js';

const byColumn = (by: GroupedBy): Way => ({
  groups: ({ database, selection }) => groupsOf(database, by, selection),
  moments: ({ database, selection }, values, since) => momentsOf(database, by, values, selection, since),
});

const byEngine: Way = {
  groups: async ({ database, facts, selection }) => wholeOf(facts, await groupsOf(database, 'account_id', selection)),
  moments: async ({ database, facts, selection }, values, since) =>
    (await momentsOf(database, null, values, selection, since)).map((one) => ({ ...one, value: facts.viewSegment })),
};

/** The findings of one engine as one group. */
function wholeOf({ viewSegment, module }: FindingFacts, parts: readonly GroupCounts[]): GroupCounts[] {
  if (parts.length === 0) return [];
  const whole = emptyGroup(viewSegment, module.label);
  for (const part of parts) addGroup(whole, part);
  return [whole];
}

/** What findings are grouped by, and how. */
export const WAYS = {
  rule: () => byColumn('rule_id'),
  resource: () => byColumn('resource_uid'),
  account: () => byColumn('account_id'),
  cve: () => byColumn('cve'),
  engine: () => byEngine,
  owner: byOwner,
} as const satisfies Record<string, (context: EngineContext) => Way | Promise<Way>>;
export type Grouping = keyof typeof WAYS;
