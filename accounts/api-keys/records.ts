import { defineCollection, type RowOf } from '../../kit/store/collection.js';
import { date, nullable, readonlyList, text, textOf } from '../../kit/store/fields.js';
import type { MembershipRow } from '../records.js';
import type { Permission } from '../../schema/permissions.js';

/** A key that calls the API for its owner; `_id` is the prefix by which a key is found and recognized. */
export const apiKeys = defineCollection(
  'api_keys',
  {
    name: text,
    /** At most these; at each use cut down to what the owner's role holds then. */
    permissions: readonlyList(textOf<Permission>()),
    /** SHA-256 of the secret part: 256 random bits need no slow hash. Never serialized. */
    secret_hash: text,
    /** The owner, who made the key. */
    user_id: text,
    owner_email: text,
    /** The membership that the owner reached the tenant by; of another tenant of the organization for an org_admin who had switched. */
    membership_id: text,
    created_at: date,
    expires_at: date,
    last_used_at: nullable(date),
    last_used_ip: nullable(text),
  },
  [{ key: { tenant_id: 1, created_at: -1 } }],
);
export type ApiKeyRow = RowOf<typeof apiKeys>;

/** Whether an owner still is the member who made the key: somebody who left and came back has no keys of old. */
export const ownsStill = (key: Pick<ApiKeyRow, 'created_at'>, membership: Pick<MembershipRow, 'created_at'>): boolean =>
  membership.created_at <= key.created_at;
