import { createHash } from 'node:crypto';
import { defineCollection, type RowOf } from '../../kit/store/collection.js';
import { date, list, nullable, object, optional, text, textOf } from '../../kit/store/fields.js';
import type { Criticality, Environment, SetContext } from './business/context.js';
import { RESOURCE_FIELDS } from '../../kit/engine/resource-fields.js';

/** A resource of the inventory. `_id` is a digest of tenant and resource_uid, which may be longer than a key should be. */
export const assets = defineCollection(
  'assets',
  {
    ...RESOURCE_FIELDS,
    tags: object<Record<string, string>>(),
    /** What the inventory says; null for what only findings name. */
    configuration: nullable(object<Record<string, unknown>>()),
    sensitive_paths: list(text),
    unknown_paths: list(text),
    /** Of what the inventory says; rows of earlier releases, and those that only findings name, lack it. */
    description_digest: optional(text),
    source: nullable(object<{ format: string; address: string; file?: string; line?: number }>()),
    provider_metadata: object<Record<string, unknown>>(),
    /** What a person has set of its business context. */
    business_set: optional(nullable(object<SetContext>())),
    /** The context in force, and what lists find tags by; absent where there is nothing. */
    owner: optional(text),
    environment: optional(textOf<Environment>()),
    criticality: optional(textOf<Criticality>()),
    data_classes: optional(list(text)),
    tag_keys: optional(list(text)),
    scan_run_id: text,
    first_seen_at: date,
    last_seen_at: date,
    /** When a view of the inventory first had it without an import; written so that such a refresh and an import of it meet. */
    projected_at: optional(date),
  },
  [
    { key: { tenant_id: 1, resource_uid: 1 } },
    { key: { tenant_id: 1, resource_type: 1, resource_uid: 1 } },
    { key: { tenant_id: 1, account_id: 1, resource_uid: 1 } },
    { key: { tenant_id: 1, provider: 1, resource_uid: 1 } },
    { key: { tenant_id: 1, region: 1, resource_uid: 1 } },
    { key: { tenant_id: 1, scan_run_id: 1, resource_uid: 1 } },
    { key: { tenant_id: 1, last_seen_at: 1 } },
    ...(['owner', 'environment', 'criticality', 'tag_keys'] as const).map((column) => ({
      key: { tenant_id: 1, [column]: 1, resource_uid: 1 } as const,
      options: { partialFilterExpression: { [column]: { $exists: true } } },
    })),
  ],
);
export type AssetRow = RowOf<typeof assets>;

/** A typed edge between two resources. */
export const edges = defineCollection(
  'asset_edges',
  {
    from: text,
    to: text,
    kind: text,
    scan_run_id: text,
    last_seen_at: date,
  },
  [{ key: { tenant_id: 1, from: 1 } }, { key: { tenant_id: 1, to: 1 } }, { key: { tenant_id: 1, last_seen_at: 1 } }],
);
export type EdgeRow = RowOf<typeof edges>;

const digest = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 32);

export const assetRowId = (tenantId: string, resourceUid: string): string => digest(tenantId, resourceUid);
export const edgeRowId = (tenantId: string, from: string, to: string, kind: string): string => digest(tenantId, from, to, kind);
