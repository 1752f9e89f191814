import type { Severity } from '../../../schema/model.js';

/** What a notification tells of a finding. */
export interface DigestFinding {
  engine: string;
  finding_id: string;
  title: string;
  severity: Severity;
  provider: string;
  account_id: string | null;
  region: string;
  resource_type: string;
  resource_uid: string;
  resource_name: string | null;
  rule_id: string;
  first_seen_at: string;
  status: string;
}
