import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, list, nullable, object, oneOf, text } from '../../../kit/store/fields.js';

/** A word that connected accounts carry. */
export interface GroupTag {
  name: string;
  value: string;
}

/** Accounts that belong together; `_id` is `<tenant_id>|<group_id>`. */
export const accountGroups = defineCollection(
  'account_groups',
  {
    group_id: text,
    name: text,
    kind: oneOf('business_unit', 'environment', 'other'),
    /** The accounts by id; null where the tag tells. */
    account_ids: nullable(list(text)),
    /** Null where the ids tell. */
    tag: nullable(object<GroupTag>()),
    updated_by: text,
    created_at: date,
    updated_at: date,
  },
  [{ key: { tenant_id: 1, group_id: 1 } }],
);
export type AccountGroupRow = RowOf<typeof accountGroups>;
