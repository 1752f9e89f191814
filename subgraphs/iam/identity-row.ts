import type { RowOf } from '../../kit/store/collection.js';
import type { identities } from './identities.js';

/** What acts by itself, and is no assignment of rights to others. */
export const ACTING: readonly string[] = ['user', 'role', 'service_account'];

/** A row of the identities, with its own fields. */
export type IdentityRow = RowOf<typeof identities.projection.rows> & {
  kind: string | null;
  enabled: boolean | null;
  human: boolean | null;
  external: boolean | null;
  keys: number | null;
  last_used_at: Date | null;
};

/** Who it is, as evidence. */
export const principalOf = ({ resource_uid, kind }: IdentityRow) => ({ principal: resource_uid, principal_type: kind });
