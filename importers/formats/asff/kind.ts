import type { Severity } from '../../../schema/model.js';
import { BrokenRecord, numberAt, objectAt, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import { severityOfScore, toSeverity } from '../../normalize/severity.js';

/** The product that found it, in lower case: `prowler`, `guardduty`, `inspector`, `security hub`, `config`. */
export function asffSource(record: JsonObject): string {
  const fields = objectAt(record, 'ProductFields');
  const name =
    textAt(record, 'ProductName') ??
    textAt(fields, 'aws/securityhub/ProductName') ??
    textAt(fields, 'ProviderName') ??
    textAt(record, 'ProductArn')?.split('/').at(-1) ??
    'security hub';
  return name.toLowerCase();
}

/**
 * The engine of a finding. What has a compliance status is a posture check whatever its types say (Prowler gives `TTPs/...`
 * to checks); else CVEs are vulnerabilities, sensitive data is datasec, and TTPs, effects and unusual behaviour are detections.
 */
export function asffEngine(record: JsonObject, source: string, hasVulnerability: boolean): string {
  if (hasVulnerability) return 'vulnerability';
  if (objectAt(record, 'Compliance') !== undefined) return 'check';
  const types = textsAt(record, 'Types');
  if (types.some((type) => /\/Vulnerabilities\/CVE/i.test(type))) return 'vulnerability';
  if (types.some((type) => /^Sensitive Data/i.test(type)) || source === 'macie') return 'datasec';
  return source === 'guardduty' || source === 'detective' || types.some((type) => /^(?:TTPs|Effects|Unusual Behaviors)(?:\/|$)/i.test(type))
    ? 'cdr'
    : 'check';
}

/** The name of the check or detection, the same whichever account, region or standard it runs under. */
export function asffRuleId(record: JsonObject, source: string, engine: string): string {
  const fields = objectAt(record, 'ProductFields');
  const generator = textAt(record, 'GeneratorId');
  if (engine === 'check') {
    const control = textAt(objectAt(record, 'Compliance'), 'SecurityControlId') ?? textAt(fields, 'ControlId');
    if (control !== undefined && /^[A-Za-z][A-Za-z0-9]*\.\d+$/.test(control)) return control;
    const config = textAt(fields, 'aws/config/ConfigRuleName');
    if (config !== undefined) return config;
  } else {
    const type = textsAt(record, 'Types')[0];
    if (type !== undefined && (engine !== 'vulnerability' || generator === undefined)) return type.split('/').slice(2).join('/') || type;
  }
  const name = (generator ?? textAt(record, 'Title'))
    ?.replace(/^arn:[^:]*:securityhub:.*?:(?:ruleset|control)\//, '')
    .replace(/^security-control\//, '');
  if (name === undefined) throw new BrokenRecord('GeneratorId is missing, and so is Title');
  return source === 'prowler' ? name.replace(/^prowler-/, '') : name;
}

/**
 * What a finding says of its resource. Archived and resolved findings are over: PASS. Suppressed ones and those that nobody
 * could evaluate (`WARNING`, `NOT_AVAILABLE`) say nothing; without a compliance status a finding is a detection: FAIL.
 */
export function asffResult(record: JsonObject): 'FAIL' | 'PASS' | 'none' {
  const workflow = textAt(objectAt(record, 'Workflow'), 'Status')?.toUpperCase() ?? textAt(record, 'WorkflowState')?.toUpperCase();
  if (workflow === 'SUPPRESSED') return 'none';
  const status = textAt(objectAt(record, 'Compliance'), 'Status')?.toUpperCase();
  if (status === 'NOT_AVAILABLE' || status === 'WARNING') return 'none';
  if (textAt(record, 'RecordState')?.toUpperCase() === 'ARCHIVED' || workflow === 'RESOLVED') return 'PASS';
  if (status === 'PASSED') return 'PASS';
  return status === undefined || status === 'FAILED' ? 'FAIL' : 'none';
}

/** `Severity.Label`, else `Normalized` 0–100 (1–39 low, 40–69 medium, 70–89 high), else the product's own 0–10. */
export function asffSeverity(record: JsonObject): Severity {
  for (const severity of [objectAt(record, 'Severity'), objectAt(objectAt(record, 'FindingProviderFields'), 'Severity')]) {
    const label = toSeverity(textAt(severity, 'Label'));
    if (label !== undefined) return label;
    const normalized = numberAt(severity, 'Normalized');
    if (normalized !== undefined) return severityOfScore(normalized / 10);
    const product = numberAt(severity, 'Product');
    if (product !== undefined) return severityOfScore(product);
  }
  return 'info';
}
