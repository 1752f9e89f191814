import { createHash } from 'node:crypto';
import type { Provider } from '../../../schema/model.js';
import type { AccountPart } from '../../../kit/engine/account-scans.js';
import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, list, nullable, number, text, textOf } from '../../../kit/store/fields.js';

/** What a scan covers: a part of a connected account, and the engines that it is for; an empty list narrows nothing. */
export interface ScanCoverage extends AccountPart {
  readonly engines: readonly string[];
}

/** Fields of a row that says what is scanned. */
export const COVERAGE_FIELDS = { account_id: text, regions: list(text), services: list(text), engines: list(text) };

/** The definitions of scans: one for each part of an account that was ever asked for; `_id` is `<tenant_id>|<scan_id>`. */
export const scans = defineCollection(
  'scans',
  {
    scan_id: text,
    provider: textOf<Provider>(),
    ...COVERAGE_FIELDS,
    /** Its latest run; null before the first. */
    last_run_id: nullable(text),
    /** Grows with every run, so that of two that are asked for at once one is behind the other. */
    runs: number,
    created_by: text,
    created_at: date,
  },
  [
    { key: { tenant_id: 1, created_at: -1, scan_id: 1 } },
    { key: { tenant_id: 1, account_id: 1, created_at: -1, scan_id: 1 } },
    { key: { tenant_id: 1, provider: 1, created_at: -1, scan_id: 1 } },
  ],
);
export type ScanRow = RowOf<typeof scans>;

export const scanRowId = (tenantId: string, scanId: string): string => `${tenantId}|${scanId}`;

/** The id of a scan: of what it covers, so that the same asked for again is the same scan. */
export function scanIdOf({ account_id, regions, services, engines }: ScanCoverage): string {
  const said = [account_id, ...[regions, services, engines].map((names) => [...new Set(names)].sort())];
  return createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 24);
}
