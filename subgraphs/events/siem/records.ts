import { defineCollection } from '../../../kit/store/collection.js';
import { DUE_FIELDS, DUE_INDEX, type DueRow } from '../../../kit/work/due.js';
import type { MasterKey } from '../../../kit/keys/master-key.js';
import { seal, unseal } from '../../../kit/keys/seal.js';

/** `secret` is sealed for the tenant; never serialized. */
export interface WebhookTarget {
  url: string;
  secret: string;
}

/** `secret_access_key` is sealed for the tenant; never serialized. */
export interface ObjectStorageTarget {
  endpoint: string | null;
  region: string;
  bucket: string;
  prefix: string;
  access_key_id: string;
  secret_access_key: string;
  path_style: boolean;
}

/** The SIEM export of a tenant; `_id` is the tenant id. */
export interface SiemExportRow extends DueRow {
  _id: string;
  tenant_id: string;
  kind: 'webhook' | 'object_storage';
  enabled: boolean;
  format: 'ndjson' | 'ocsf';
  webhook: WebhookTarget | null;
  object_storage: ObjectStorageTarget | null;
  /** Number of the last entry that was delivered. */
  position: number;
  /** Last entry of the batch under way: a try after a failure sends the same batch, so that its id says the same. */
  batch_end: number | null;
  /** Last day whose file was written (`2026-01-31`): later entries never go into it again. */
  last_day: string | null;
  /** Failures since the last success. */
  failures: number;
  last_success_at: Date | null;
  last_error: string | null;
  last_error_at: Date | null;
  updated_at: Date;
  updated_by: string;
}

const when = { type: Date, default: null };

export const siemExports = defineCollection<SiemExportRow>(
  'siem_exports',
  {
    kind: String,
    enabled: Boolean,
    format: String,
    webhook: Object,
    object_storage: Object,
    position: Number,
    batch_end: Number,
    last_day: String,
    failures: Number,
    last_success_at: when,
    last_error: String,
    last_error_at: when,
    ...DUE_FIELDS,
    updated_at: when,
    updated_by: String,
  },
  [DUE_INDEX],
);

const keyOf = (masterKey: MasterKey) => masterKey.derive('siem');

/** Encrypts a secret of a tenant's export for rest. */
export const sealSecret = (masterKey: MasterKey, tenantId: string, secret: string): string =>
  seal(keyOf(masterKey), tenantId, Buffer.from(secret));

/** Decrypts what `sealSecret` made for the same tenant. @throws when it was made under another master key */
export const openSecret = (masterKey: MasterKey, tenantId: string, sealed: string): string =>
  unseal(keyOf(masterKey), tenantId, sealed).toString();
