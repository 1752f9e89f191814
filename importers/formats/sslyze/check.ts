import type { Severity } from '../../../schema/model.js';
import type { JsonObject } from '../../readers/json/fields.js';

/** What one command of a scan says of a server. */
export type Results = (name: string) => JsonObject | undefined;

/** What a check says: whether it fails, and by what; undefined where the scan did not look. */
export type Verdict = { fails: boolean; detail?: string | undefined; evidence?: Record<string, unknown> } | undefined;

/** One thing that is right or wrong about a server. */
export interface TlsCheck {
  id: string;
  title: string;
  severity: Severity;
  guidance: string;
  cves?: readonly string[];
  cwe: string;
  judge(results: Results, scannedAt: Date | undefined): Verdict;
}
