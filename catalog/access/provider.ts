import type { Held } from './held.js';
import type { PrivilegeTable } from './table.js';
import type { Weighed } from './types.js';

/** What a provider's part of the model answers. */
export interface ProviderAccess {
  readonly privileges: PrivilegeTable;
  /** The uids of all identities. */
  readonly identities: readonly string[];
  /** All that somebody is given, and what takes it away. */
  heldBy(who: string): Held;
  /** What decides whether somebody may do something; see `AccessModel.weigh`. */
  weigh(who: string, action: string, resource: string, session?: unknown): Weighed;
}
