import type { GroupCounts } from '../../../kit/findings/groups.js';

/** What could be changed in a rule that is often wrong. */
export type RuleProposal = 'switch_off' | 'narrow';

/** False positives from which on a rule is talked about: fewer are chance. */
const LEAST = 5;
/** Shares of a rule's findings from which on each is proposed, the greatest first. */
const SHARES: readonly (readonly [RuleProposal, number])[] = [
  ['switch_off', 0.8],
  ['narrow', 0.2],
];

/** What the false positives among all findings of a rule propose; null for a rule that is seldom wrong. */
export function proposalFor({ false_positive, total }: Pick<GroupCounts, 'false_positive' | 'total'>): RuleProposal | null {
  if (false_positive < LEAST) return null;
  return SHARES.find(([, share]) => false_positive / total >= share)?.[0] ?? null;
}
