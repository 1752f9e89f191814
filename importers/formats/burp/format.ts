import { jsonFormat } from '../../normalize/json-format.js';
import { ReportItems } from '../../normalize/observation.js';
import { importElements } from '../../normalize/record-items.js';
import { requireText, textAt as jsonTextAt, textsAt as jsonTextsAt, type JsonObject } from '../../readers/json/fields.js';
import { readHead } from '../../readers/source.js';
import type { XmlElement } from '../../readers/xml/element.js';
import { attributeOf, childAt, requireTextAt, textAt, textsAt } from '../../readers/xml/fields.js';
import { outlineXml } from '../../readers/xml/outline.js';
import { readXml } from '../../readers/xml/records.js';
import type { ImportOptions, ReportFormat } from '../../types.js';
import { issueItems, type BurpIssue } from './issue.js';

const issueOfXml = (issue: XmlElement): BurpIssue => ({
  type: requireTextAt(issue, 'type'),
  name: textAt(issue, 'name'),
  severity: requireTextAt(issue, 'severity'),
  confidence: textAt(issue, 'confidence'),
  host: textAt(issue, 'host'),
  ip: attributeOf(childAt(issue, 'host'), 'ip'),
  path: textAt(issue, 'path'),
  location: textAt(issue, 'location'),
  method: attributeOf(childAt(issue, 'requestresponse/request'), 'method'),
  serialNumber: textAt(issue, 'serialNumber'),
  background: textAt(issue, 'issueBackground'),
  detail: textAt(issue, 'issueDetail'),
  remediation: [textAt(issue, 'remediationDetail'), textAt(issue, 'remediationBackground')],
  references: textAt(issue, 'references'),
  classifications: textsAt(issue, 'vulnerabilityClassifications'),
});

const issueOfJson = (issue: JsonObject): BurpIssue => ({
  type: requireText(issue, 'type_index'),
  name: jsonTextAt(issue, 'name'),
  severity: requireText(issue, 'severity'),
  confidence: jsonTextAt(issue, 'confidence'),
  host: jsonTextAt(issue, 'origin'),
  ip: undefined,
  path: jsonTextAt(issue, 'path'),
  location: jsonTextAt(issue, 'caption'),
  method: undefined,
  serialNumber: jsonTextAt(issue, 'serial_number'),
  background: jsonTextAt(issue, 'issue_background'),
  detail: jsonTextAt(issue, 'description'),
  remediation: [jsonTextAt(issue, 'remediation_detail'), jsonTextAt(issue, 'remediation')],
  references: jsonTextAt(issue, 'references'),
  classifications: jsonTextsAt(issue, 'vulnerability_classifications'),
});

const json = jsonFormat<{ options: ImportOptions }>({
  name: 'burp',
  label: 'Burp Suite XML, and JSON of its REST interface',
  engines: ['secops'],
  detection:
    'An XML report with the root `issues` and its attribute burpVersion, or a JSON object with `issue_events` beside `task_id` or `scan_status`.',
  produce: 'Target > Site map > Issues > Report selected issues > XML in Burp Suite',
  outsideClouds: true,
  expected: 'a Burp report (<issues burpVersion="...">, or {"task_id": ..., "issue_events": [{"issue": ...}]})',
  roots: ['object'],
  isOfFormat: (outline) =>
    outline.has('issue_events') && ['task_id', 'scan_status', 'scan_metrics', 'issue_events[].issue'].some((path) => outline.has(path)),
  markers: ['issue_events'],
  records: ['issue_events[*].issue'],
  context: (_, options) => ({ options }),
  covers: () => [],
  convert: (record, { position }, { options }, items) => issueItems(issueOfJson(record), position, options, items),
});

const isXml = (head: string): boolean => {
  const outline = outlineXml(head);
  return outline?.root === 'issues' && (outline.paths.has('@burpVersion') || outline.paths.has('issue/serialNumber'));
};

/** Issues that Burp Suite exports as XML, and those that its REST interface tells of a scan. One issue is one record. */
export const format: ReportFormat = {
  ...json,
  detect: (head) => isXml(head) || json.detect(head),
  async *read(source, options) {
    // a report of another kind is refused in the words that XML has for it
    if (/^[\s\uFEFF]*[{[]/.test(await readHead(source))) {
      yield* json.read(source, options);
      return;
    }
    const items = new ReportItems();
    yield* importElements(readXml(source, ['issues/issue']), (issue, { position }) =>
      issueItems(issueOfXml(issue), position, options, items),
    );
  },
};
