import { defineCollection } from '../../kit/store/collection.js';
import type { MembershipRow } from '../records.js';
import type { Permission } from '../../schema/permissions.js';

/** A key that calls the API for its owner; `_id` is the prefix by which a key is found and recognized. */
export interface ApiKeyRow {
  _id: string;
  tenant_id: string;
  name: string;
  /** At most these; at each use cut down to what the owner's role holds then. */
  permissions: readonly Permission[];
  /** SHA-256 of the secret part: 256 random bits need no slow hash. Never serialized. */
  secret_hash: string;
  /** The owner, who made the key. */
  user_id: string;
  owner_email: string;
  /** The membership that the owner reached the tenant by; of another tenant of the organization for an org_admin who had switched. */
  membership_id: string;
  created_at: Date;
  expires_at: Date;
  last_used_at: Date | null;
  last_used_ip: string | null;
}

export const apiKeys = defineCollection<ApiKeyRow>(
  'api_keys',
  {
    name: String,
    permissions: [String],
    secret_hash: { type: String, required: true },
    user_id: { type: String, required: true },
    owner_email: String,
    membership_id: { type: String, required: true },
    created_at: Date,
    expires_at: Date,
    last_used_at: { type: Date, default: null },
    last_used_ip: { type: String, default: null },
  },
  [{ key: { tenant_id: 1, created_at: -1 } }],
);

/** Whether an owner still is the member who made the key: somebody who left and came back has no keys of old. */
export const ownsStill = (key: Pick<ApiKeyRow, 'created_at'>, membership: Pick<MembershipRow, 'created_at'>): boolean =>
  membership.created_at <= key.created_at;
