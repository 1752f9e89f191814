import { readAsffFinding } from './finding.js';
import { outlineJson, type JsonOutline } from '../../readers/json/outline.js';
import { readJson } from '../../readers/json/records.js';
import { ReportItems } from '../../normalize/observation.js';
import { importRecords } from '../../normalize/record-items.js';
import { checkHead } from '../../normalize/report-head.js';
import { NotOfFormat, type ReportFormat } from '../../types.js';

const LISTS = ['Findings', 'findings', 'detail.findings'] as const;
const PREFIXES = ['[].', ...LISTS.map((list) => `${list}[].`)];

function isAsff(outline: JsonOutline): boolean {
  return PREFIXES.some((at) => {
    if (outline.get(`${at}SchemaVersion`) === '2018-10-08') return true;
    return outline.has(`${at}ProductArn`) && (outline.has(`${at}AwsAccountId`) || outline.has(`${at}GeneratorId`));
  });
}

const HEAD = {
  expected: 'AWS Security Hub findings ({"Findings": [...]} or an array)',
  roots: ['array', 'object'] as const,
  detect: isAsff,
  markers: PREFIXES.flatMap((at) => ['AwsAccountId', 'GeneratorId', 'ProductArn', 'ProductFields', 'RecordState'].map((name) => at + name)),
  elements: PREFIXES.map((at) => `${at.slice(0, -1)}!`),
};

/**
 * AWS Security Finding Format (Security Hub User Guide, "ASFF syntax"): `{"Findings": [...]}` as GetFindings answers, a bare
 * array as Prowler writes it, `findings`, or an EventBridge event. One finding is one record.
 */
export const format: ReportFormat = {
  name: 'asff',
  label: 'AWS Security Finding Format (Security Hub)',
  engines: ['check', 'cdr', 'vulnerability', 'datasec'],
  detection: 'JSON findings with SchemaVersion 2018-10-08, or ProductArn and AwsAccountId, in `Findings` or in an array.',
  produce: 'aws securityhub get-findings > report.json',
  detect: (head) => isAsff(outlineJson(head)),
  async *read(source, options) {
    let isKnown = await checkHead(source, HEAD);
    const items = new ReportItems();
    const values = readJson(source, ['$[*]', ...LISTS.map((list) => `${list}[*]`)]);
    for await (const item of importRecords(
      values,
      (record, { position }) => readAsffFinding(record, position, options, items),
      () => (isKnown = true),
    )) {
      if (item.kind === 'truncated') isKnown = true;
      yield item;
    }
    if (!isKnown) throw new NotOfFormat(`expected ${HEAD.expected}, found no Findings`);
  },
};
