import { recordListFormat } from '../../normalize/record-list.js';
import type { JsonOutline } from '../../readers/json/outline.js';
import { readGuardDutyFinding } from './finding.js';

/** Members of `resource` and `service` that findings of no other product have. */
const OWN = [
  'resource.resourceType',
  'resource.instanceDetails',
  'resource.accessKeyDetails',
  'resource.s3BucketDetails',
  'resource.eksClusterDetails',
  'resource.kubernetesDetails',
  'resource.lambdaDetails',
  'resource.rdsDbInstanceDetails',
  'service.detectorId',
  'service.resourceRole',
];

/** The CLI writes `AccountId` where events and exports have `accountId`. */
const capitalized = (path: string): string =>
  path.replace(/(^|\.)([a-z])/g, (_, dot: string, letter: string) => dot + letter.toUpperCase());

function isFinding(outline: JsonOutline, at: string): boolean {
  const has = (path: string): boolean => outline.has(at + path) || outline.has(at + capitalized(path));
  return has('accountId') && (has('partition') || has('type')) && OWN.some(has);
}

/**
 * Findings of Amazon GuardDuty (User Guide, "Finding format"): `{"Findings": [...]}` as GetFindings answers, JSON lines as it exports
 * them to S3, and events of EventBridge, alone, in an array or as lines. One finding is one record.
 */
export const format = recordListFormat({
  name: 'guardduty',
  label: 'Amazon GuardDuty findings',
  engines: ['cdr'],
  detection: 'JSON findings with an account, `resource` and `service` as GuardDuty writes them, in `Findings`, as lines or as events.',
  produce:
    'aws guardduty get-findings --detector-id $ID --finding-ids $(aws guardduty list-findings --detector-id $ID --query FindingIds --output text) > findings.json',
  expected: 'GuardDuty findings ({"Findings": [...]}, an array, JSON lines or events)',
  lists: ['Findings', 'findings'],
  isRecord: (outline, at) => isFinding(outline, at) || isFinding(outline, `${at}detail.`),
  markers: ['AccountId', 'accountId', 'detail', 'Service', 'service', 'Resource', 'resource'],
  convert: readGuardDutyFinding,
});
