import { toOcsf } from '../../../kit/audit/ocsf.js';
import type { ProvenEntry } from '../../../kit/audit/entries.js';
import { listOf, momentOf, numberOf, recordOf, textOf, type ExportFormat, type Row } from './format.js';

/** Findings of OCSF 1.4 (schema.ocsf.io): by what they are. */
const VULNERABILITY = { class_uid: 2002, class_name: 'Vulnerability Finding' };
const COMPLIANCE = { class_uid: 2003, class_name: 'Compliance Finding' };
const DETECTION = { class_uid: 2004, class_name: 'Detection Finding' };

const SEVERITIES: Readonly<Record<string, readonly [number, string]>> = {
  info: [1, 'Informational'],
  low: [2, 'Low'],
  medium: [3, 'Medium'],
  high: [4, 'High'],
  critical: [5, 'Critical'],
};
const STATUSES: Readonly<Record<string, readonly [number, string]>> = {
  OPEN: [1, 'New'],
  IN_PROGRESS: [2, 'In Progress'],
  SUPPRESSED: [3, 'Suppressed'],
  RESOLVED: [4, 'Resolved'],
  FALSE_POSITIVE: [99, 'False positive'],
};
const CREATE = [1, 'Create'] as const;
const CLOSE = [3, 'Close'] as const;

const timeOf = (value: unknown): number | undefined => momentOf(value)?.getTime();
const classOf = (row: Row) => (textOf(row['cve']) ? VULNERABILITY : row['rule_type'] === 'config' ? COMPLIANCE : DETECTION);
const urlsOf = (row: Row): string[] => listOf(row['references']).flatMap((one) => textOf(recordOf(one)['url']) ?? []);

/** A finding as an event of its class. */
export function findingToOcsf(row: Row): Record<string, unknown> {
  const kind = classOf(row);
  const isClosed = row['status'] === 'RESOLVED' || row['status'] === 'FALSE_POSITIVE';
  const [activity_id, activity_name] = isClosed ? CLOSE : CREATE;
  const [severity_id, severity] = SEVERITIES[String(row['severity'])] ?? [0, 'Unknown'];
  const [status_id, status] = STATUSES[String(row['status'])] ?? [0, 'Unknown'];
  const remediation = textOf(recordOf(row['remediation'])['guidance']);
  const references = urlsOf(row);
  const region = textOf(row['region']) === null ? {} : { region: row['region'] };
  return {
    category_uid: 2,
    category_name: 'Findings',
    ...kind,
    activity_id,
    activity_name,
    type_uid: kind.class_uid * 100 + activity_id,
    type_name: `${kind.class_name}: ${activity_name}`,
    time: timeOf(row['last_seen_at']),
    severity_id,
    severity,
    status_id,
    status,
    metadata: {
      version: '1.4.0',
      uid: `${String(row['engine'])}/${String(row['finding_id'])}`,
      profiles: ['cloud'],
      product: { name: 'Palisade', vendor_name: 'Palisade', feature: { name: row['engine'] } },
    },
    finding_info: {
      uid: row['finding_id'],
      title: row['title'],
      ...(textOf(row['description']) && { desc: row['description'] }),
      first_seen_time: timeOf(row['first_seen_at']),
      last_seen_time: timeOf(row['last_seen_at']),
      analytic: { type_id: 1, type: 'Rule', uid: row['rule_id'] },
      ...attacksOf(row),
    },
    cloud: { provider: row['provider'], ...region, ...(textOf(row['account_id']) && { account: { uid: row['account_id'] } }) },
    resources: [{ uid: row['resource_uid'], name: row['resource_name'] ?? row['resource_uid'], type: row['resource_type'], ...region }],
    // what each class has a place for: a score that is of detections alone stands beside in the others
    ...(kind === DETECTION && { risk_score: row['risk_score'] }),
    ...(kind !== VULNERABILITY && (remediation ?? references.length > 0) && { remediation: { desc: remediation ?? '', references } }),
    ...(kind === COMPLIANCE && { compliance: complianceOf(row, isClosed) }),
    ...(kind === VULNERABILITY && { vulnerabilities: [vulnerabilityOf(row, references, remediation)] }),
    unmapped: {
      ...(kind !== DETECTION && { risk_score: row['risk_score'] }),
      ...{ status: row['status'], assignee: row['assignee'] ?? null, due_at: row['due_at'] ?? null, scan_run_id: row['scan_run_id'] },
    },
  };
}

function attacksOf(row: Row): Record<string, unknown> {
  const attacks = listOf(row['mitre_techniques']).map((uid) => ({ technique: { uid } }));
  return attacks.length > 0 ? { attacks } : {};
}

function complianceOf(row: Row, passes: boolean): Record<string, unknown> {
  const controls = listOf(row['controls']).map(recordOf);
  const standards = [...new Set(controls.flatMap(({ framework }) => textOf(framework) ?? []))];
  const requirements = controls.flatMap(({ control_id }) => textOf(control_id) ?? []);
  return {
    control: row['rule_id'],
    ...{ standards, requirements },
    ...(passes ? { status_id: 1, status: 'Pass' } : { status_id: 3, status: 'Fail' }),
  };
}

function vulnerabilityOf(row: Row, references: readonly string[], remediation: string | null): Record<string, unknown> {
  const { package_name, installed_version, fixed_version, purl } = recordOf(row['evidence']);
  const cvss = numberOf(row['cvss']);
  const epss = numberOf(row['epss']);
  const about = {
    ...(textOf(installed_version) && { version: installed_version }),
    ...(textOf(fixed_version) && { fixed_in_version: fixed_version }),
    ...(textOf(purl) && { purl }),
  };
  return {
    title: row['title'],
    cve: {
      uid: row['cve'],
      ...(cvss !== null && { cvss: [{ base_score: cvss, version: '3.1' }] }),
      ...(epss !== null && { epss: { score: String(epss) } }),
    },
    ...(row['known_exploited'] === true && { is_exploit_available: true }),
    ...(textOf(package_name) && { affected_packages: [{ name: package_name, version: '', ...about }] }),
    ...(references.length > 0 && { references }),
    ...(remediation !== null && { remediation: { desc: remediation } }),
  };
}

/** Events of OCSF 1.4, one a line: Compliance, Vulnerability and Detection Findings; the audit log as its SIEM export has it. */
export const ocsf: ExportFormat = {
  name: 'ocsf',
  label: 'OCSF',
  media_type: 'application/jsonl; charset=utf-8',
  extension: 'ocsf.jsonl',
  subjects: ['findings', 'audit_log'],
  whole: true,
  async *write({ subject, rows }) {
    const event = (row: Row): unknown => (subject === 'audit_log' ? toOcsf(entryOf(row)) : findingToOcsf(row));
    for await (const batch of rows) if (batch.length > 0) yield batch.map((row) => `${JSON.stringify(event(row))}\n`).join('');
  },
};

/** A row of the audit log is an entry, its moment as text where it came over the wire. */
const entryOf = (row: Row): ProvenEntry => ({ ...row, timestamp: momentOf(row['timestamp']) }) as ProvenEntry;
