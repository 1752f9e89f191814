import { DueDates } from './sla/due-dates.js';
import { SuppressionsInForce } from './suppressions/in-force.js';

/** What a tenant has set that runs go by when they change findings. */
export interface Policies {
  readonly suppressing: SuppressionsInForce;
  readonly dueDates: DueDates;
}

/** For changes that none has a say in. */
export const NO_POLICIES: Policies = { suppressing: SuppressionsInForce.NONE, dueDates: new DueDates() };
