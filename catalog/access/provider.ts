import type { Statement } from '../cel/policy.js';
import type { Held } from './held.js';
import type { Place } from './place.js';
import type { PrivilegeTable } from './table.js';
import type { Weighed } from './types.js';

/** Whom a policy of a resource names, by the names that questions take; of an account its number. */
export interface Principal {
  readonly kind: 'identity' | 'account' | 'stranger' | 'everybody';
  readonly name: string;
}

/** What a provider's part of the model answers. */
export interface ProviderAccess {
  readonly privileges: PrivilegeTable;
  /** The uids of all identities. */
  readonly identities: readonly string[];
  /** Who has rights and is no resource of the inventory, by the names that questions take. */
  readonly strangers: readonly string[];
  /** Names of everybody. */
  readonly everybody: readonly string[];
  /** All that somebody is given, and what takes it away. */
  heldBy(who: string): Held;
  /** As `heldBy`, without what policies of single resources give. */
  ownOf(who: string): Held;
  /** What decides whether somebody may do something; see `AccessModel.weigh`. */
  weigh(who: string, action: string, resource: string, session?: unknown): Weighed;
  /** What decides about the calls of somebody to one resource, for any action. */
  toward(who: string, resource: string): (action: string) => Weighed;
  /** The account of an identity; empty where nothing tells. */
  accountOf(who: string): string;
  /** What a resource of a rule is in the inventory; undefined for what it does not show. */
  place(resource: string, who: string): Place | undefined;
  /** Whether the policies of identities say who may take them on, and not what is bound to others. */
  readonly byTrust: boolean;
  /** Resources of an account whose own policies forbid something, or alone decide: no broad grant is sure to hold for them. */
  apartIn(account: string): readonly string[];
  /** Resources that have policies. */
  readonly policied: readonly string[];
  /** Whom the policies of a resource name. */
  namedBy(resource: string): readonly Principal[];
  /** What the policies of a resource say. */
  statementsOf(resource: string): readonly Statement[];
  /** The identities of an account. */
  identitiesOf(account: string): readonly string[];
}
