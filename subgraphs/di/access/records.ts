import type { AccessEdge, AccessNode } from '../../../catalog/access/edges/types.js';
import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { nullable, number, object, optional, text, textOf } from '../../../kit/store/fields.js';
import type { Provider } from '../../../schema/model.js';

/** What an edge of access says beside its ends. */
export type Access = Pick<AccessEdge, 'privilege' | 'conditional' | 'assumed' | 'by' | 'way'>;

/** What edges of access lead to beside resources; `_id` is a digest of tenant and uid, as that of assets. */
export const accessNodes = defineCollection(
  'access_nodes',
  {
    uid: text,
    type: textOf<AccessNode['type']>(),
    name: text,
    provider: textOf<Provider>(),
    account_id: text,
    scope: nullable(object<NonNullable<AccessNode['scope']>>()),
    /** The place in which it is kept, as with edges. */
    access_in: text,
    /** Of all that the row says. */
    digest: text,
  },
  [{ key: { tenant_id: 1, access_in: 1 } }],
);
export type AccessNodeRow = RowOf<typeof accessNodes>;

/** Accounts of which something has been told that edges of access are made of; `_id` is `<tenant_id>|<provider>|<account>`. */
export const accessDue = defineCollection(
  'access_due',
  {
    provider: textOf<Provider>(),
    /** Null for all accounts of the provider. */
    account: nullable(text),
    /** Counts the tellings, so that one that comes in between is not lost. */
    no: number,
  },
  [{ key: { tenant_id: 1, provider: 1 } }],
);

/** By which version of the catalog the edges of a provider were derived; `_id` is `<tenant_id>|<provider>`. */
export const accessDerivations = defineCollection(
  'access_derivations',
  {
    provider: textOf<Provider>(),
    /** Absent where an earlier release began and did not end. */
    version: optional(text),
  },
  [{ key: { tenant_id: 1 } }],
);

/** Where edges are kept that touch an account; `account` is empty for one that the inventory does not show. */
export const placeOf = (provider: Provider, account: string): string => `${provider}/${account}`;
