import { readAsffFinding } from './finding.js';
import { objectAt, objectsAt } from '../../readers/json/fields.js';
import { outlineJson, type JsonOutline } from '../../readers/json/outline.js';
import { readJson } from '../../readers/json/records.js';
import { readHead } from '../../readers/source.js';
import { ReportItems } from '../../normalize/observation.js';
import { importRecords } from '../../normalize/record-items.js';
import { isOfLines } from '../../normalize/record-list.js';
import { checkHead } from '../../normalize/report-head.js';
import { NotOfFormat, type ReportFormat } from '../../types.js';

const EVENT = 'detail.findings';
const LISTS = ['Findings', 'findings', EVENT] as const;
const PREFIXES = ['[].', '', `[].${EVENT}[].`, ...LISTS.map((list) => `${list}[].`)];

function isFinding(outline: JsonOutline, at: string): boolean {
  if (outline.get(`${at}SchemaVersion`) === '2018-10-08') return true;
  return outline.has(`${at}ProductArn`) && (outline.has(`${at}AwsAccountId`) || outline.has(`${at}GeneratorId`));
}

const isAsff = (outline: JsonOutline): boolean => PREFIXES.some((at) => isFinding(outline, at));

const HEAD = {
  expected: 'AWS Security Hub findings ({"Findings": [...]}, an array, lines or events)',
  roots: ['array', 'object'] as const,
  detect: isAsff,
  markers: PREFIXES.flatMap((at) => ['AwsAccountId', 'GeneratorId', 'ProductArn', 'ProductFields', 'RecordState'].map((name) => at + name)),
  elements: PREFIXES.filter((at) => at !== '').map((at) => `${at.slice(0, -1)}!`),
};

/** Where the findings of a report stand: events that follow each other are read whole. */
function pathsOf(head: string): string[] {
  const outline = outlineJson(head);
  if (isFinding(outline, '') || (outline.has(EVENT) && isOfLines(head))) return ['$', '$[*]'];
  const inArray = outline.has(`[].${EVENT}`) ? `$[*].${EVENT}[*]` : '$[*]';
  return [inArray, ...LISTS.map((list) => `${list}[*]`)];
}

/**
 * AWS Security Finding Format (Security Hub User Guide, "ASFF syntax"): `{"Findings": [...]}` as GetFindings answers, a bare
 * array as Prowler writes it, `findings`, findings as lines, and events of EventBridge, alone, as lines or in an array. One finding is one
 * record, and one line of events.
 */
export const format: ReportFormat = {
  name: 'asff',
  label: 'AWS Security Finding Format (Security Hub)',
  engines: ['check', 'cdr', 'vulnerability', 'datasec'],
  detection:
    'JSON findings with SchemaVersion 2018-10-08, or ProductArn and AwsAccountId, in `Findings`, in an array, as lines or in events.',
  produce: 'aws securityhub get-findings > report.json',
  detect: (head) => isAsff(outlineJson(head)),
  async *read(source, options) {
    let isKnown = await checkHead(source, HEAD);
    const items = new ReportItems();
    const values = readJson(source, pathsOf(await readHead(source)));
    for await (const item of importRecords(
      values,
      (record, { position, path }) => {
        const told = path === '$' ? objectsAt(objectAt(record, 'detail'), 'findings') : [];
        if (told.length === 0) return readAsffFinding(record, position, options, items, path.includes(EVENT));
        return told.flatMap((finding, n) => readAsffFinding(finding, `${position}.${EVENT}[${n}]`, options, items, true));
      },
      () => (isKnown = true),
    )) {
      if (item.kind === 'truncated') isKnown = true;
      yield item;
    }
    if (!isKnown) throw new NotOfFormat(`expected ${HEAD.expected}, found no Findings`);
  },
};
