import { camelCased } from '../../normalize/camel-case.js';
import { ReportItems } from '../../normalize/observation.js';
import { importRecords } from '../../normalize/record-items.js';
import { recordListFormat } from '../../normalize/record-list.js';
import { findCsvHeader } from '../../readers/csv/header.js';
import { readCsv } from '../../readers/csv/records.js';
import { BrokenRecord, objectAt, textAt } from '../../readers/json/fields.js';
import type { JsonOutline } from '../../readers/json/outline.js';
import { readHead } from '../../readers/source.js';
import type { ReportFormat } from '../../types.js';
import { readAlert } from './alert.js';
import { readAssessment, readRecommendation } from './assessment.js';
import { readSubAssessment } from './sub-assessment.js';

const TYPE = /^microsoft\.security\/(?:assessments|assessments\/subassessments|locations\/alerts|alerts)$/i;
const COLUMNS = { columns: ['recommendationName', 'recommendationDisplayName', 'resourceId', 'severity'] };

function isRecord(outline: JsonOutline, at: string): boolean {
  const has = (...names: string[]): boolean => names.every((name) => outline.has(at + name));
  return (
    TYPE.test(outline.get(`${at}type`) ?? '') ||
    has('properties.resourceDetails', 'properties.status.code') ||
    has('resourceDetails', 'status.code', 'displayName') ||
    has('properties.alertDisplayName', 'properties.severity') ||
    has('alertDisplayName', 'systemAlertId') ||
    has('AlertDisplayName', 'SystemAlertId')
  );
}

const json = recordListFormat({
  name: 'defender_for_cloud',
  label: 'Microsoft Defender for Cloud recommendations and alerts',
  engines: ['check', 'cdr', 'vulnerability', 'dbsec'],
  detection:
    'JSON records of the types Microsoft.Security/assessments, its subAssessments or alerts, or a CSV report with the column recommendationName.',
  produce: `az graph query --graph-query "securityresources | where type has 'assessments'" > report.json`,
  expected: 'records of Microsoft Defender for Cloud ({"value": [...]}, {"data": [...]}, an array or CSV of recommendations)',
  lists: ['value', 'data'],
  isRecord,
  markers: ['properties', 'resourceDetails', 'status', 'alertDisplayName', 'AlertDisplayName'],
  convert(raw, { position, inList }, options, items) {
    const record = camelCased(raw);
    const properties = objectAt(record, 'properties') ?? record;
    const type = textAt(record, 'type')?.toLowerCase() ?? '';
    if (type.endsWith('/subassessments')) return readSubAssessment(record, properties, position, options, items);
    if (type.endsWith('alerts') || textAt(properties, 'alertDisplayName') !== undefined)
      return readAlert(record, properties, { position, inList }, options, items);
    if (type.endsWith('/assessments') || objectAt(properties, 'status') !== undefined)
      return readAssessment(record, properties, position, options, items);
    throw new BrokenRecord('the record is neither an assessment nor an alert');
  },
});

/**
 * What Microsoft Defender for Cloud says (REST API of Microsoft.Security): assessments, what they found (subAssessments) and alerts, as the
 * Resource Manager, the resource graph, `az security` and continuous export write them, and the CSV that the portal makes of
 * recommendations. One assessment of a resource, one thing found, one alert is one record.
 */
export const format: ReportFormat = {
  ...json,
  detect: (head) => findCsvHeader(head, COLUMNS) !== undefined || json.detect(head),
  async *read(source, options) {
    if (findCsvHeader(await readHead(source), COLUMNS) === undefined) {
      yield* json.read(source, options);
      return;
    }
    const items = new ReportItems();
    yield* importRecords(readCsv(source, COLUMNS), (row, { position }) => readRecommendation(row, position, options, items));
  },
};
