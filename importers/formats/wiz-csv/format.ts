import { ReportItems } from '../../normalize/observation.js';
import { importRecords } from '../../normalize/record-items.js';
import { findCsvHeader } from '../../readers/csv/header.js';
import { readCsv } from '../../readers/csv/records.js';
import { readHead } from '../../readers/source.js';
import type { ReportFormat } from '../../types.js';
import { readIssue } from './issue.js';
import { readWizVulnerability } from './vulnerability.js';

const ISSUES = { columns: ['Title', 'Severity', 'Status', 'Resource Type', 'Issue ID', 'Resource Name'] };
const VULNERABILITIES = { columns: ['WizURL', 'Name', 'FindingStatus', 'DetailedName', 'AssetName'] };

/** Wiz's CSV reports of issues and of vulnerability findings. One row is one record. */
export const format: ReportFormat = {
  name: 'wiz_csv',
  label: 'Wiz CSV reports of issues and vulnerabilities',
  engines: ['check', 'vulnerability'],
  detection: 'A CSV report with the columns Issue ID and Resource Type, or WizURL and DetailedName.',
  produce: 'the report of issues, or of vulnerability findings, that Wiz makes under Reports, as CSV',
  detect: (head) => [ISSUES, VULNERABILITIES].some((rules) => findCsvHeader(head, rules) !== undefined),
  async *read(source, options) {
    const items = new ReportItems();
    const isOfIssues = findCsvHeader(await readHead(source), VULNERABILITIES) === undefined;
    const read = isOfIssues ? readIssue : readWizVulnerability;
    yield* importRecords(readCsv(source, isOfIssues ? ISSUES : VULNERABILITIES), (row, { position }) =>
      read(row, position, options, items),
    );
  },
};
