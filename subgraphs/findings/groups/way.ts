import type { FindingFacts } from '../../../kit/engine/finding-facts.js';
import type { GroupCounts, GroupMoments } from '../../../kit/findings/groups.js';
import type { Selection } from '../../../kit/findings/selection.js';
import type { EngineDatabase } from '../../../kit/store/database.js';

/** A part of one engine's findings. */
export interface Part {
  readonly database: EngineDatabase;
  readonly facts: FindingFacts;
  readonly selection: Selection;
}

/** How the findings of each engine come into groups. */
export interface Way {
  groups(part: Part): Promise<readonly GroupCounts[]>;
  /** What is looked up of the groups of a page alone. @param since what was first seen after it is fresh */
  moments(part: Part, values: readonly (string | null)[], since: Date): Promise<readonly GroupMoments[]>;
}
