import { readJson } from '../../readers/json/records.js';
import { outlineJson, type JsonOutline } from '../../readers/json/outline.js';
import { readOcsfFinding } from './finding.js';
import { ReportItems } from '../../normalize/observation.js';
import { importRecords } from '../../normalize/record-items.js';
import { checkHead } from '../../normalize/report-head.js';
import { readHead } from '../../readers/source.js';
import type { ReportFormat, ReportSource } from '../../types.js';

const PREFIXES = ['[].', '', 'Findings[].', 'findings[].'] as const;

function isOcsf(outline: JsonOutline): boolean {
  return PREFIXES.some((at) => {
    const isFinding =
      outline.has(`${at}finding_info`) || outline.has(`${at}finding`) || /^2\d{3}$/.test(outline.get(`${at}class_uid`) ?? '');
    return outline.has(`${at}class_uid`) && isFinding;
  });
}

const HEAD = {
  expected: 'OCSF findings (an array, JSON lines or one object)',
  roots: ['array', 'object'] as const,
  detect: isOcsf,
  markers: PREFIXES.flatMap((at) => [`${at}class_uid`, `${at}finding_info`, `${at}finding`, `${at}metadata.event_code`]),
  elements: ['[]!', '!', 'Findings[]!', 'findings[]!'],
};

/**
 * OCSF findings (Open Cybersecurity Schema Framework 1.x, category 2) as Prowler writes them: a JSON array, JSON lines or
 * texts one after another, one object, or `{"Findings": [...]}` as Security Hub's API answers. One finding is one record.
 */
export const format: ReportFormat = {
  name: 'ocsf',
  label: 'OCSF findings (Prowler)',
  engines: ['check', 'cdr', 'vulnerability', 'datasec', 'secops', 'iam'],
  detection: 'JSON findings with `class_uid` and `finding_info`, in an array, as JSON lines or as one object.',
  produce: 'prowler aws --output-formats json-ocsf',
  detect: (head) => isOcsf(outlineJson(head)),
  async *read(source, options) {
    await checkHead(source, HEAD);
    const items = new ReportItems();
    const wrapper = await wrapperOf(source);
    const paths = wrapper === undefined ? ['$', '$[*]'] : ['$[*]', `${wrapper}[*]`];
    yield* importRecords(readJson(source, paths), (record, item) => readOcsfFinding(record, item.position, options, items));
  },
};

async function wrapperOf(source: ReportSource): Promise<string | undefined> {
  const outline = outlineJson(await readHead(source));
  return ['Findings', 'findings'].find((name) => outline.has(name) && !outline.has('class_uid'));
}
