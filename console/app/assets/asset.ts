import type { Provider, Severity } from '../../../schema/model.js';

/** `GET /inventory/asset/{resource_uid}`, and a row of the list. */
export interface Asset {
  readonly resource_uid: string;
  readonly resource_type: string;
  readonly resource_name: string | null;
  readonly provider: Provider;
  readonly account_id: string | null;
  readonly region: string;
  readonly tags: Readonly<Record<string, unknown>> | null;
  readonly configuration: unknown;
  readonly business_context: {
    readonly owner: string | null;
    readonly environment: string | null;
    readonly criticality: string | null;
    readonly data_classes: readonly string[];
  };
  readonly open_findings: Readonly<Record<Severity | 'total', number>> & { readonly restrictedEngines: readonly string[] };
  readonly risk: { readonly max: number; readonly sum: number };
  readonly exposure: string | null;
  readonly planned: boolean;
  readonly first_seen_at: string;
  readonly last_seen_at: string;
  readonly gone_at: string | null;
}

/** An asset's path in the API. */
export const assetPath = (uid: string): string => `/api/v1/inventory/asset/${encodeURIComponent(uid)}`;

const NAMES = {
  provider: 'Provider',
  account_id: 'Account',
  region: 'Region',
  resource_type: 'Type',
  owner: 'Owner',
  environment: 'Environment',
  criticality: 'Criticality',
  tag: 'Tag',
  q: 'Text',
  exposure: 'Exposure',
  risk_min: 'Risk from',
  scan_run_id: 'Run',
  gone: 'Gone',
  planned: 'Planned',
} as const;

/** The filters of assets with their names in words. */
export const ASSET_FILTERS: Readonly<Record<string, string>> = NAMES;
