import { importRecords } from '../../normalize/record-items.js';
import { ReportItems } from '../../normalize/observation.js';
import { jsonFormat } from '../../normalize/json-format.js';
import { coverage } from '../../normalize/scope.js';
import { findCsvHeader } from '../../readers/csv/header.js';
import { readCsv } from '../../readers/csv/records.js';
import { readHead } from '../../readers/source.js';
import { asObject, textAt } from '../../readers/json/fields.js';
import { outlineJson, type JsonOutline } from '../../readers/json/outline.js';
import type { ReportFormat } from '../../types.js';
import { readScanned, referringPackages, type ScannedContext } from './scanned.js';
import { readSysdigRow } from './row.js';

/** Rows of a report: of the first kind, of that of 2025, and of the command line's scanner. */
const ROWS = ['data[*]', 'panels[*].data[*]'];
/** Vulnerabilities of the command line's scanner: in their packages, and since its releases of 2025 beside them. */
const IN_PACKAGES = 'result.packages[*].vulns[*]';
const BESIDE_PACKAGES = 'result.vulnerabilities.*';
const PLACES = ['data[].', 'panels[].data[].'];
const CSV = ['vulnerability id', 'vulnerability name'].map((id) => ({ columns: [id, 'severity', 'package name', 'package version'] }));

const isRow = (outline: JsonOutline, at: string): boolean =>
  (outline.has(`${at}vulnName`) && (outline.has(`${at}packageName`) || outline.has(`${at}imageId`))) ||
  (outline.has(`${at}imagePullString`) && outline.has(`${at}imageId`)) ||
  (outline.has(`${at}vuln_id`) && outline.has(`${at}scan_package_name`)) ||
  (outline.has(`${at}container_image`) && outline.has(`${at}container_image_id`));

const formatOf = (scanned: string, packages: readonly string[]): ReportFormat =>
  jsonFormat<ScannedContext>({
    name: 'sysdig',
    label: 'Sysdig vulnerability reports (JSON and CSV)',
    engines: ['vulnerability'],
    detection:
      'A JSON object with `data` of a `vulnName` and a `packageName`, or with a `scanner` sysdig-cli-scanner; CSV with Vulnerability ID, Severity, Package name and Package version.',
    produce: 'sysdig-cli-scanner --apiurl $URL --output json=report.json registry.example.com/app:1.0',
    outsideClouds: true,
    expected: 'a report of Sysdig ({"data": [{"vulnName": ..., "packageName": ..., "imagePullString": ...}]})',
    roots: ['object'],
    isOfFormat: (outline) =>
      PLACES.some((at) => isRow(outline, at)) ||
      outline.get('scanner.name') === 'sysdig-cli-scanner' ||
      // the same result by the interface
      (outline.has('result.packages') && outline.has('result.vulnTotalBySeverity')),
    markers: ['data', 'panels', 'scanner', 'result.packages'],
    records: [...ROWS, scanned],
    around: ['result.metadata', ...packages],
    context: (surroundings, options) => ({
      metadata: asObject(surroundings.value('result.metadata')),
      surroundings,
      referring: referringPackages(surroundings),
      options,
      places: new Map(),
    }),
    // rows tell by their images what they cover
    covers({ metadata, options }) {
      const image = textAt(metadata, 'pullString');
      return image === undefined ? [] : [coverage('vulnerability', image, 'sysdig', options)];
    },
    convert: (record, item, context, items) =>
      item.path === scanned ? readScanned(record, item, context, items) : readSysdigRow(record, item.position, context, items),
  });

const json = formatOf(
  IN_PACKAGES,
  ['name', 'version', 'type', 'path', 'suggestedFix'].map((name) => `result.packages[*].${name}`),
);
const byReference = formatOf(BESIDE_PACKAGES, ['result.packages.*']);

/** Sysdig's reports of vulnerabilities, and those of its command line. One vulnerability of one package of one workload is one record. */
export const format: ReportFormat = {
  ...json,
  detect: (head) => json.detect(head) || CSV.some((rules) => findCsvHeader(head, rules) !== undefined),
  async *read(source, options) {
    const head = await readHead(source);
    const rules = CSV.find((one) => findCsvHeader(head, one) !== undefined);
    if (rules === undefined) {
      const outline = outlineJson(head);
      const isScanned = outline.has('scanner.name') && !outline.has('result.packages[]') && !outline.has('data');
      yield* (isScanned ? byReference : json).read(source, options);
    } else {
      const items = new ReportItems();
      const context = { options, places: new Map() };
      yield* importRecords(readCsv(source, rules), (row, { position }) => readSysdigRow(row, position, context, items));
    }
  },
};
