import type { Held } from '../access/held.js';
import type { AccessRule } from '../access/types.js';
import type { InventoryResource } from '../resource.js';
import type { Chosen } from './chosen.js';

/** The identity that is to have less, and what surrounds it. */
export interface Subject {
  asset: InventoryResource;
  /** Name of the identity, for what is proposed. */
  name: string;
  held: Held;
  assetOf(uid: string): InventoryResource | undefined;
}

/** How a provider's rights are written. */
export interface ProposalForm {
  readonly name: 'aws_policy' | 'alicloud_policy' | 'gcp_custom_roles' | 'azure_role_definitions' | 'kubernetes_roles';
  /** Whether a statement is the identity's own: what resources give by their policies stays as it is. */
  isOwn(rule: AccessRule, subject: Subject): boolean;
  /** A resource of the log as a statement names it, where the statement holds it. */
  placeOf(rule: AccessRule, resource: string): string | undefined;
  /** What is to be given in place of all that the identity is given now. */
  documents(chosen: readonly Chosen[], subject: Subject): Record<string, unknown>[];
  /** An identity that has nothing but that, and what it takes to give it: for the proof. The identity is the first. */
  proof(documents: readonly Record<string, unknown>[], chosen: readonly Chosen[], subject: Subject): InventoryResource[];
}

/** What stands behind the name of whom nothing but a proposal is given. */
export const PROPOSED = '-least-privilege';
