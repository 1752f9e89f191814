import { createHash } from 'node:crypto';
import type { Provider } from '../../schema/model.js';
import { defineCollection } from '../../kit/store/collection.js';

/** A resource of the inventory. `_id` is a digest of tenant and resource_uid, which may be longer than a key should be. */
export interface AssetRow {
  _id: string;
  tenant_id: string;
  resource_uid: string;
  resource_type: string;
  resource_name: string | null;
  provider: Provider;
  account_id: string | null;
  region: string;
  tags: Record<string, string>;
  /** What the inventory says; null for what only findings name. */
  configuration: Record<string, unknown> | null;
  sensitive_paths: string[];
  unknown_paths: string[];
  source: { format: string; address: string; file?: string; line?: number } | null;
  provider_metadata: Record<string, unknown>;
  scan_run_id: string;
  first_seen_at: Date;
  last_seen_at: Date;
}

/** A typed edge between two resources. */
export interface EdgeRow {
  _id: string;
  tenant_id: string;
  from: string;
  to: string;
  kind: string;
  scan_run_id: string;
  last_seen_at: Date;
}

export const assets = defineCollection<AssetRow>(
  'assets',
  {
    resource_uid: String,
    resource_type: String,
    resource_name: String,
    provider: String,
    account_id: String,
    region: String,
    tags: Object,
    configuration: Object,
    sensitive_paths: [String],
    unknown_paths: [String],
    source: Object,
    provider_metadata: Object,
    scan_run_id: String,
    first_seen_at: Date,
    last_seen_at: Date,
  },
  [
    { key: { tenant_id: 1, resource_uid: 1 } },
    { key: { tenant_id: 1, resource_type: 1, resource_uid: 1 } },
    { key: { tenant_id: 1, account_id: 1, resource_uid: 1 } },
    { key: { tenant_id: 1, last_seen_at: 1 } },
  ],
);

export const edges = defineCollection<EdgeRow>(
  'asset_edges',
  { from: String, to: String, kind: String, scan_run_id: String, last_seen_at: Date },
  [{ key: { tenant_id: 1, from: 1 } }, { key: { tenant_id: 1, to: 1 } }, { key: { tenant_id: 1, last_seen_at: 1 } }],
);

const digest = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 32);

export const assetRowId = (tenantId: string, resourceUid: string): string => digest(tenantId, resourceUid);
export const edgeRowId = (tenantId: string, from: string, to: string, kind: string): string => digest(tenantId, from, to, kind);
