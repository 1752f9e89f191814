import { ReportItems } from '../../normalize/observation.js';
import { importRecords } from '../../normalize/record-items.js';
import { findCsvHeader, type HeaderRules } from '../../readers/csv/header.js';
import { readCsv } from '../../readers/csv/records.js';
import { readHead } from '../../readers/source.js';
import type { JsonObject } from '../../readers/json/fields.js';
import { NotOfFormat, type ImportItem, type ImportOptions, type ReportFormat } from '../../types.js';
import { readCompliance } from './compliance.js';
import { readMalware, readSecret } from './files.js';
import { readVulnerability } from './vulnerability.js';

type ReadRow = (row: JsonObject, position: string, options: ImportOptions, items: ReportItems) => ImportItem[];

/** The columns of each kind of report -> what a row of it is. */
const KINDS: readonly (HeaderRules & { read: ReadRow })[] = [
  { columns: ['cve_id', 'cve_severity', 'cve_caused_by_package'], read: readVulnerability },
  { columns: ['compliance_check_type', 'test_number', 'status', 'node_name'], read: readCompliance },
  { columns: ['rule name', 'class', 'file name', 'severity', 'node name'], read: readMalware },
  { columns: ['filename', 'content', 'rule', 'severity', 'node name', 'signature'], read: readSecret },
];

const kindOf = (head: string) => KINDS.find((rules) => findCsvHeader(head, rules) !== undefined);

/** Reports of Deepfence ThreatMapper as CSV: of vulnerabilities, compliance, malware and secrets. One row is one record. */
export const format: ReportFormat = {
  name: 'deepfence',
  label: 'Deepfence ThreatMapper CSV',
  engines: ['vulnerability', 'cwpp', 'check', 'secops'],
  detection:
    'CSV with cve_id and cve_caused_by_package, compliance_check_type and test_number, Rule Name, Class and File Name, or Filename, Content and Signature.',
  produce: 'curl -H "Authorization: Bearer $TOKEN" "$REPORT_URL" > report.csv',
  outsideClouds: true,
  detect: (head) => kindOf(head) !== undefined,
  async *read(source, options) {
    const kind = kindOf(await readHead(source));
    if (kind === undefined) throw new NotOfFormat('expected a CSV report of ThreatMapper, found other columns');
    const items = new ReportItems();
    yield* importRecords(readCsv(source, kind), (row, { position }) => kind.read(row, position, options, items));
  },
};
