import type { Provider } from '../../../schema/model.js';
import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, list, nullable, number, object, oneOf, text, textOf } from '../../../kit/store/fields.js';

/** What of an account is scanned; an empty list narrows nothing. */
export interface AccountScope {
  regions: string[];
  services: string[];
}

/** A cloud account that is connected, or was; `_id` is `<tenant_id>|<account_id>`. */
export const cloudAccounts = defineCollection(
  'cloud_accounts',
  {
    account_id: text,
    provider: textOf<Provider>(),
    name: text,
    /** `degraded` until its connection has been tried, and while it does not reach what it should. */
    state: oneOf('connected', 'degraded', 'disconnected', 'paused'),
    scope: object<AccountScope>(),
    tags: object<Record<string, string>>(),
    /** The credential as JSON, sealed for this account under the master key's purpose `cloud-accounts`; null once it is disconnected. Never shown. */
    sealed_credential: nullable(text),
    /** Whose trust the credential is bound to; null where the provider knows no such thing. */
    external_id: nullable(text),
    permissions_granted: list(text),
    permissions_missing: list(text),
    validated_at: nullable(date),
    /** What is wrong with the connection, in words. */
    problem: nullable(text),
    last_scan_at: nullable(date),
    created_by: text,
    created_at: date,
    updated_at: date,
    /** Grows with every change. */
    version: number,
  },
  [{ key: { tenant_id: 1, account_id: 1 } }, { key: { tenant_id: 1, provider: 1, account_id: 1 } }],
);
export type CloudAccountRow = RowOf<typeof cloudAccounts>;

export const cloudAccountRowId = (tenantId: string, accountId: string): string => `${tenantId}|${accountId}`;

/** How fast a host of an account is called by all workers together; `_id` is `<tenant_id>|<account_id>|<host>`. */
export const callPaces = defineCollection(
  'call_paces',
  {
    account_id: text,
    host: text,
    /** When all calls that were drawn so far are made at the steady rate, by the time of the store. */
    free_at: date,
  },
  [{ key: { free_at: 1 }, options: { name: 'forgotten', expireAfterSeconds: 3_600 } }],
);
