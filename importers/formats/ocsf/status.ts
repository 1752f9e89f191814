import { numberAt, objectAt, textAt, type JsonObject } from '../../readers/json/fields.js';

const RESULTS: Readonly<Record<string, 'FAIL' | 'PASS' | 'none'>> = {
  fail: 'FAIL',
  failed: 'FAIL',
  failure: 'FAIL',
  pass: 'PASS',
  passed: 'PASS',
  success: 'PASS',
  resolved: 'PASS',
  archived: 'PASS',
  suppressed: 'none',
  deleted: 'none',
  manual: 'none',
  muted: 'none',
  info: 'none',
  warning: 'none',
  not_available: 'none',
};

function resultOf(word: string | undefined): 'FAIL' | 'PASS' | 'none' | undefined {
  const key = word?.trim().toLowerCase();
  return key !== undefined && Object.hasOwn(RESULTS, key) ? RESULTS[key] : undefined;
}

/**
 * What a finding says of its resource. Muted and suppressed findings and those that nobody evaluated (`MANUAL`) say nothing:
 * the record counts, no finding is raised or closed. A finding without any verdict is a detection: it fails.
 *
 * Sources: OCSF `status_id` (1 new, 2 in progress, 3 suppressed, 4 resolved, 5 archived) and `compliance.status_id` (1 pass,
 * 2 warning, 3 fail); Prowler's `status_code` (PASS, FAIL, MANUAL) and, up to its version 3, `status` (Success, Failure); Wiz's `state_name` (New, In Progress, Suppressed, Resolved).
 */
export function ocsfResult(record: JsonObject): 'FAIL' | 'PASS' | 'none' {
  const statusId = numberAt(record, 'status_id');
  // OCSF 1.0 before its release had a state of the finding beside the status of its event
  const state = resultOf(textAt(record, 'state') ?? textAt(record, 'state_name'));
  if (state === 'none') return 'none';
  const status = textAt(record, 'status');
  const lifecycle = resultOf(status);
  // Some versions of Prowler write a `status_id` that contradicts the word: the word counts.
  if (lifecycle === 'none' || (status === undefined && statusId === 3)) return 'none';
  const code = resultOf(textAt(record, 'status_code'));
  const compliance = objectAt(record, 'compliance');
  const verdict =
    code ??
    resultOf(textAt(compliance, 'status')) ??
    { 1: 'PASS' as const, 2: 'none' as const, 3: 'FAIL' as const }[numberAt(compliance, 'status_id') ?? 0];
  if (verdict !== undefined)
    return lifecycle === 'PASS' && verdict === 'FAIL' && statusId !== undefined && statusId >= 4 ? 'PASS' : verdict;
  return lifecycle ?? state ?? 'FAIL';
}

/** OCSF `severity_id`: 0 unknown, 1 informational, 2 low, 3 medium, 4 high, 5 critical, 6 fatal. */
export const OCSF_SEVERITIES = [undefined, 'info', 'low', 'medium', 'high', 'critical', 'critical'] as const;
