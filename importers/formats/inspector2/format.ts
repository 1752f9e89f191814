import { recordListFormat } from '../../normalize/record-list.js';
import { member, objectAt } from '../../readers/json/fields.js';
import type { JsonOutline } from '../../readers/json/outline.js';
import { readInspectorFinding } from './finding.js';

const isFinding = (outline: JsonOutline, at: string): boolean =>
  /^arn:[^:]*:inspector2:/.test(outline.get(`${at}findingArn`) ?? '') ||
  (outline.has(`${at}findingArn`) && outline.has(`${at}awsAccountId`)) ||
  ['packageVulnerabilityDetails', 'networkReachabilityDetails', 'codeVulnerabilityDetails', 'inspectorScore', 'inspectorScoreDetails'].some(
    (name) => outline.has(`${at}${name}`),
  );

/**
 * Findings of Amazon Inspector (version 2), as its interface answers, its export writes and EventBridge carries them: packages, code and reachability from the
 * network. One finding is one record: active ones open, closed ones close, suppressed ones give nothing.
 */
export const format = recordListFormat({
  name: 'inspector2',
  label: 'Amazon Inspector findings',
  engines: ['vulnerability', 'network-security', 'secops'],
  detection:
    'A JSON object with `findings`, an array, JSON lines or events, of objects with a `findingArn` of inspector2 and an `awsAccountId`.',
  produce: 'aws inspector2 list-findings --output json > report.json',
  expected: 'findings of Amazon Inspector ({"findings": [{"findingArn": "arn:aws:inspector2:...", "type": ...}]})',
  lists: ['findings', 'Findings'],
  isRecord: (outline, at) => isFinding(outline, at) || isFinding(outline, `${at}detail.`),
  markers: ['findingArn', 'detail'],
  convert: (record, { position }, options, items) =>
    readInspectorFinding(
      member(record, 'findingArn') === undefined ? (objectAt(record, 'detail') ?? record) : record,
      position,
      options,
      items,
    ),
});
