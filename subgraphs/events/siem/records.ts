import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { DUE_FIELDS, DUE_INDEX } from '../../../kit/work/due.js';
import { date, flag, nullable, number, object, oneOf, text } from '../../../kit/store/fields.js';
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
export const siemExports = defineCollection(
  'siem_exports',
  {
    kind: oneOf('webhook', 'object_storage'),
    enabled: flag,
    format: oneOf('ndjson', 'ocsf'),
    webhook: nullable(object<WebhookTarget>()),
    object_storage: nullable(object<ObjectStorageTarget>()),
    /** Number of the last entry that was delivered. */
    position: number,
    /** Last entry of the batch under way: a try after a failure sends the same batch, so that its id says the same. */
    batch_end: nullable(number),
    /** Last day whose file was written (`2026-01-31`): later entries never go into it again. */
    last_day: nullable(text),
    /** Failures since the last success. */
    failures: number,
    last_success_at: nullable(date),
    last_error: nullable(text),
    last_error_at: nullable(date),
    ...DUE_FIELDS,
    updated_at: date,
    updated_by: text,
  },
  [DUE_INDEX],
);
export type SiemExportRow = RowOf<typeof siemExports>;

const keyOf = (masterKey: MasterKey) => masterKey.derive('siem');

/** Encrypts a secret of a tenant's export for rest. */
export const sealSecret = (masterKey: MasterKey, tenantId: string, secret: string): string =>
  seal(keyOf(masterKey), tenantId, Buffer.from(secret));

/** Decrypts what `sealSecret` made for the same tenant. @throws when it was made under another master key */
export const openSecret = (masterKey: MasterKey, tenantId: string, sealed: string): string =>
  unseal(keyOf(masterKey), tenantId, sealed).toString();
