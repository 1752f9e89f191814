import type { FindingRow } from '../row.js';

/** What stands for the date of a finding that has none: it comes behind all others. */
export const UNDATED = Number.MAX_SAFE_INTEGER;

/** What lists are ordered by where they go by due dates: milliseconds of the date. */
export const dueRank = (due_at: Date | null | undefined): number => due_at?.getTime() ?? UNDATED;

/** A change of a finding with the rank of its date, where it changes the date. */
export const ranked = <Change extends Partial<FindingRow>>(change: Change): Change & { due_rank?: number } =>
  'due_at' in change ? { ...change, due_rank: dueRank(change.due_at) } : change;
