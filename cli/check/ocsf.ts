import { createHash } from 'node:crypto';
import type { Severity } from '../../schema/model.js';
import type { CheckReport, CheckResult } from './report.js';

const SEVERITY: Readonly<Record<Severity, [number, string]>> = {
  critical: [5, 'Critical'],
  high: [4, 'High'],
  medium: [3, 'Medium'],
  low: [2, 'Low'],
  info: [1, 'Informational'],
};
const STATUS: Readonly<Record<string, [number, string]>> = { PASS: [1, 'Pass'], FAIL: [3, 'Fail'] };

/** OCSF 1.5 Compliance Findings (class 2003), a list of events. */
export function toOcsf({ results }: CheckReport): unknown {
  const time = Date.now();
  return results.map((result) => event(result, time));
}

function event(result: CheckResult, time: number): unknown {
  const [severity_id, severity] = SEVERITY[result.severity];
  const [status_id, status] = STATUS[result.result] ?? [0, 'Unknown'];
  const { rule_id, address, texts, message } = result;
  return {
    class_uid: 2003,
    class_name: 'Compliance Finding',
    category_uid: 2,
    category_name: 'Findings',
    activity_id: 1,
    activity_name: 'Create',
    type_uid: 200301,
    time,
    severity_id,
    severity,
    message,
    metadata: { version: '1.5.0', product: { name: 'Palisade', vendor_name: 'Palisade' }, event_code: rule_id },
    finding_info: {
      uid: createHash('sha256')
        .update(JSON.stringify([rule_id, result.resource_uid]))
        .digest('hex')
        .slice(0, 32),
      title: texts.title,
      desc: texts.description,
      created_time: time,
    },
    compliance: { control: rule_id, standards: [], status_id, status, status_detail: message },
    cloud: { provider: result.provider, region: result.region, account: { uid: result.account_id ?? '' } },
    resources: [{ uid: result.resource_uid, name: address, type: result.resource_type, region: result.region }],
    remediation: { desc: texts.steps.map(({ action }) => action).join(' '), references: texts.references.map(({ url }) => url) },
    unmapped: { family: result.family, file: result.file, evidence: result.evidence },
  };
}
