import type { Permission } from './permissions.js';

/** One part of the argument of `@permission`; `any` has no part. */
export type Requirement =
  | { readonly kind: 'permission'; readonly permission: Permission }
  | { readonly kind: 'role'; readonly role: string }
  /** A person with a session; an API key is refused. */
  | { readonly kind: 'person' }
  /** An engine that reads this model for a field of its own; never a client. */
  | { readonly kind: 'model'; readonly model: string }
  /** A proof of who the person is of the last minutes. It follows from `person` on a mutation. */
  | { readonly kind: 'proof' }
  | { readonly kind: 'engine'; readonly argument: string };
