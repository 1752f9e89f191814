import { jsonFormat } from '../../normalize/json-format.js';
import type { JsonOutline } from '../../readers/json/outline.js';
import type { ImportOptions } from '../../types.js';
import { readInspectorFinding } from './finding.js';

const PLACES = ['findings[].', '[].'];

const isFinding = (outline: JsonOutline, at: string): boolean =>
  /^arn:[^:]*:inspector2:/.test(outline.get(`${at}findingArn`) ?? '') ||
  (outline.has(`${at}findingArn`) && outline.has(`${at}awsAccountId`)) ||
  ['packageVulnerabilityDetails', 'networkReachabilityDetails', 'codeVulnerabilityDetails', 'inspectorScore', 'inspectorScoreDetails'].some(
    (name) => outline.has(`${at}${name}`),
  );

/**
 * Findings of Amazon Inspector (version 2), as its interface answers and its export writes them: packages, code and reachability from the
 * network. One finding is one record: active ones open, closed ones close, suppressed ones give nothing.
 */
export const format = jsonFormat<{ options: ImportOptions }>({
  name: 'inspector2',
  label: 'Amazon Inspector findings',
  engines: ['vulnerability', 'network-security', 'secops'],
  detection: 'A JSON object with `findings`, or an array, of objects with a `findingArn` of inspector2 and an `awsAccountId`.',
  produce: 'aws inspector2 list-findings --output json > report.json',
  expected: 'findings of Amazon Inspector ({"findings": [{"findingArn": "arn:aws:inspector2:...", "type": ...}]})',
  roots: ['object', 'array'],
  isOfFormat: (outline) => PLACES.some((at) => isFinding(outline, at)),
  markers: ['findings', '[].findingArn'],
  records: ['findings[*]', '$[*]'],
  context: (_, options) => ({ options }),
  // the findings tell which accounts they are of
  covers: () => [],
  convert: (record, { position }, { options }, items) => readInspectorFinding(record, position, options, items),
});
