import { ReportItems } from '../../normalize/observation.js';
import { importRecords } from '../../normalize/record-items.js';
import { recordListFormat } from '../../normalize/record-list.js';
import { findCsvHeader, type HeaderRules } from '../../readers/csv/header.js';
import { readCsv } from '../../readers/csv/records.js';
import type { JsonObject } from '../../readers/json/fields.js';
import { readHead } from '../../readers/source.js';
import type { ReportFormat } from '../../types.js';
import { prowlerItems, type ProwlerCheck } from './check.js';
import { readRow, readVersion2Row } from './row.js';
import { readVersion2Line } from './version-2.js';
import { readVersion3Finding } from './version-3.js';

/** The headers of CSV, of the newest version first, and how their rows are read. */
const TABLES: readonly (HeaderRules & { hasBareQuotes?: boolean; isRagged?: boolean; read(row: JsonObject): ProwlerCheck })[] = [
  { columns: ['FINDING_UID', 'PROVIDER', 'CHECK_ID', 'STATUS', 'RESOURCE_UID'], read: readRow },
  { columns: ['FINDING_UNIQUE_ID', 'PROVIDER', 'CHECK_ID', 'STATUS'], read: readRow },
  { columns: ['ACCOUNT_NUM', 'TITLE_ID', 'CHECK_RESULT', 'TITLE_TEXT'], hasBareQuotes: true, isRagged: true, read: readVersion2Row },
  { columns: ['ACCOUNT_NUM', 'TITLE_ID', 'RESULT', 'TITLE_TEXT'], hasBareQuotes: true, isRagged: true, read: readVersion2Row },
];
const tableOf = (head: string) => TABLES.find((rules) => findCsvHeader(head, rules) !== undefined);

const VERSION_2 = ['Control ID', 'Account Number'];
const json = recordListFormat({
  name: 'prowler',
  label: 'Prowler CSV, and JSON of versions 2 and 3',
  engines: ['check'],
  detection: 'A CSV report with the columns CHECK_ID and FINDING_UID (or those of versions 2 and 3), or JSON findings with `CheckID`.',
  produce: 'prowler aws --output-formats csv',
  expected: 'a Prowler report (CSV with CHECK_ID, or JSON findings with CheckID or Control ID)',
  lists: [],
  isRecord: (outline, at) =>
    (outline.has(`${at}CheckID`) && (outline.has(`${at}StatusExtended`) || outline.has(`${at}FindingUniqueId`))) ||
    VERSION_2.every((name) => outline.has(at + name)),
  markers: ['CheckID', 'FindingUniqueId', ...VERSION_2],
  convert: (record, { position }, options, items) =>
    prowlerItems('CheckID' in record ? readVersion3Finding(record) : readVersion2Line(record), position, options, items),
});

/**
 * Prowler's CSV of any version, and the JSON of version 3 (an array) and version 2 (lines); newer JSON is OCSF, and its output for
 * Security Hub is ASFF. The result of one check on one resource is one record.
 */
export const format: ReportFormat = {
  ...json,
  detect: (head) => tableOf(head) !== undefined || json.detect(head),
  async *read(source, options) {
    const head = await readHead(source);
    const table = tableOf(head);
    if (table === undefined) {
      yield* json.read(source, options);
      return;
    }
    const items = new ReportItems();
    yield* importRecords(readCsv(source, table), (row, { position }) => prowlerItems(table.read(row), position, options, items));
  },
};
