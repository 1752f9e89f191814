import { ReportItems } from '../../normalize/observation.js';
import { importRecords } from '../../normalize/record-items.js';
import { coverage } from '../../normalize/scope.js';
import { readCsv } from '../../readers/csv/records.js';
import { requireText } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions, ReportSource } from '../../types.js';
import { hostOf, type NessusHost } from './host.js';
import { COVERED, readItem } from './item.js';
import { COLUMNS, itemOfRow } from './row.js';

/** The CSV report of a scan: a row a plugin, port and CVE, in any order of its hosts. It does not tell its policy, nor whether it had credentials. */
export async function* readNessusCsv(source: ReportSource, options: ImportOptions): AsyncGenerator<ImportItem, void, undefined> {
  const items = new ReportItems();
  const hosts = new Map<string, NessusHost>();
  yield* importRecords(readCsv(source, { columns: COLUMNS }), (row, { position }) => {
    const name = requireText(row, 'host');
    const known = hosts.get(name);
    const host = known ?? hostOf(name, undefined, 'CSV', options);
    const found = readItem(itemOfRow(row), position, host, items);
    if (known !== undefined) return found;
    hosts.set(name, host);
    return [...COVERED.map((engine) => coverage(engine, host.place.artifact as string, 'nessus', options)), ...found];
  });
}
