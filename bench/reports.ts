import { observation } from './observations.js';

/** A report of failed checks as Prowler writes it in OCSF, in pieces: of the first `findings`, or of those behind `from`. */
export function* ocsfReport(findings: number, from = 0): Generator<string> {
  yield '[';
  for (let n = from; n < from + findings; n++) yield (n > from ? ',\n' : '') + JSON.stringify(record(n));
  yield ']';
}

const SEVERITY = {
  critical: ['Critical', 5],
  high: ['High', 4],
  medium: ['Medium', 3],
  low: ['Low', 2],
  info: ['Informational', 1],
} as const;

function record(n: number): Record<string, unknown> {
  const { rule_id, title, description, severity, resource_uid, resource_name, account_id, region, evidence, remediation } = observation(n);
  const [name, id] = SEVERITY[severity];
  return {
    message: evidence['status_detail'],
    metadata: { event_code: rule_id, product: { name: 'Prowler', vendor_name: 'Prowler', version: '5.0.0' }, version: '1.3.0' },
    severity_id: id,
    severity: name,
    status: 'New',
    status_code: 'FAIL',
    status_detail: evidence['status_detail'],
    class_uid: 2004,
    class_name: 'Detection Finding',
    category_uid: 2,
    type_uid: 200401,
    activity_id: 1,
    time: 1_760_000_000,
    finding_info: {
      uid: `prowler-${n}`,
      title,
      desc: description,
      created_time: 1_760_000_000,
      types: ['Software and Configuration Checks'],
    },
    resources: [
      {
        uid: resource_uid,
        name: resource_name,
        type: 'AwsS3Bucket',
        group: { name: 's3' },
        region,
        data: { details: '', metadata: { versioning: false } },
      },
    ],
    cloud: { provider: 'aws', region, account: { uid: account_id, type: 'AWS Account' } },
    remediation: { desc: remediation!.guidance, references: [`https://docs.example.com/rules/${rule_id}`] },
    risk_details: `Without it, ${rule_id} lets an old version go unnoticed.`,
    unmapped: { compliance: { 'CIS-3.0': ['2.1.4'] }, categories: [] },
  };
}
