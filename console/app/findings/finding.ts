import type { FindingStatus, Provider, Severity } from '../../../schema/model.js';
import { hrefOf } from '../address.js';

/** A finding as lists have it. */
export interface Finding {
  readonly engine: string;
  readonly finding_id: string;
  readonly rule_id: string;
  readonly title: string;
  readonly severity: Severity;
  readonly status: FindingStatus;
  readonly risk_score: number;
  readonly provider: Provider;
  readonly account_id: string | null;
  readonly region: string;
  readonly resource_type: string;
  readonly resource_uid: string;
  readonly resource_name: string | null;
  readonly first_seen_at: string;
  readonly last_seen_at: string;
  readonly assignee: string | null;
  readonly due_at: string | null;
  readonly known_exploited: boolean | null;
  readonly version: number;
}

/** What triage has to know of a finding. */
export type Target = Pick<
  Finding,
  'engine' | 'finding_id' | 'title' | 'status' | 'version' | 'rule_id' | 'resource_uid' | 'account_id' | 'assignee' | 'due_at'
>;

/** Names a finding over all engines: `check/f4ede478…`, as addresses and bulk triage have it. */
export const keyOf = ({ engine, finding_id }: Pick<Finding, 'engine' | 'finding_id'>): string => `${engine}/${finding_id}`;

/** The finding, open beside the list. */
export const findingHref = (finding: Pick<Finding, 'engine' | 'finding_id'>): string => hrefOf(['findings'], { open: keyOf(finding) });

/** A finding's path in the API. */
export const viewOf = ({ engine, finding_id }: Pick<Finding, 'engine' | 'finding_id'>): string =>
  `/api/v1/views/finding/${encodeURIComponent(engine)}/${encodeURIComponent(finding_id)}`;

/** A key, read; null where it is none. */
export function readKey(key: string): Pick<Finding, 'engine' | 'finding_id'> | null {
  const [engine, finding_id, ...rest] = key.split('/');
  return engine && finding_id && rest.length === 0 ? { engine, finding_id } : null;
}
