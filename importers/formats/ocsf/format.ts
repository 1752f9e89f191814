import { recordListFormat } from '../../normalize/record-list.js';
import { readOcsfFinding } from './finding.js';

/**
 * OCSF findings (Open Cybersecurity Schema Framework 1.x, category 2) as Prowler writes them: a JSON array, JSON lines or
 * texts one after another, one object, or `{"Findings": [...]}` as Security Hub's API answers. One finding is one record.
 */
export const format = recordListFormat({
  name: 'ocsf',
  label: 'OCSF findings (Prowler)',
  engines: ['check', 'cdr', 'vulnerability', 'datasec', 'secops', 'iam'],
  detection: 'JSON findings with `class_uid` and `finding_info`, in an array, as JSON lines or as one object.',
  produce: 'prowler aws --output-formats json-ocsf',
  expected: 'OCSF findings (an array, JSON lines or one object)',
  lists: ['Findings', 'findings'],
  isRecord(outline, at) {
    const isFinding =
      outline.has(`${at}finding_info`) || outline.has(`${at}finding`) || /^2\d{3}$/.test(outline.get(`${at}class_uid`) ?? '');
    return outline.has(`${at}class_uid`) && isFinding;
  },
  markers: ['class_uid', 'finding_info', 'finding', 'metadata.event_code'],
  convert: (record, { position }, options, items) => readOcsfFinding(record, position, options, items),
});
