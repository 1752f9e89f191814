import { ReportItems } from '../../normalize/observation.js';
import { importElements } from '../../normalize/record-items.js';
import { attributeOf } from '../../readers/xml/fields.js';
import { outlineXml } from '../../readers/xml/outline.js';
import { readXml } from '../../readers/xml/records.js';
import type { ReportFormat } from '../../types.js';
import { readRow } from './row.js';

const ROOT = 'dataset';
const COLUMN = `${ROOT}/metadata/item`;
const ROW = `${ROOT}/data/row`;
const NAMESPACE = 'developer.cognos.com/schemas/xmldata';

/** DbProtect's report "Check Results Details" in XML. One row is one record. */
export const format: ReportFormat = {
  name: 'dbprotect',
  label: 'DbProtect check results (XML)',
  engines: ['dbsec'],
  detection: 'An XML report of Cognos with the root `dataset` and the columns `Check ID` and `Result Status`.',
  produce: 'the report Check Results Details of DbProtect Analytics, run as XML',
  outsideClouds: true,
  detect(head) {
    const outline = outlineXml(head);
    if (outline?.root !== ROOT || !outline.namespace.includes(NAMESPACE)) return false;
    return /<item name="Check ID"/.test(head) && /<item name="(?:Result Status|Check Category)"/.test(head);
  },
  async *read(source, options) {
    const items = new ReportItems();
    const columns: string[] = [];
    const covered = new Set<string>();
    yield* importElements(
      readXml(source, [COLUMN, ROW]),
      (row, { position }) => readRow(row, columns, position, covered, options, items),
      undefined,
      {
        [COLUMN]: (column) => {
          columns.push(attributeOf(column, 'name')?.trim().toLowerCase() ?? '');
          return [];
        },
      },
    );
  },
};
