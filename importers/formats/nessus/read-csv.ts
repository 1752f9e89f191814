import { ReportItems } from '../../normalize/observation.js';
import { importRecords } from '../../normalize/record-items.js';
import { coverage } from '../../normalize/scope.js';
import { readCsv, type CsvRules } from '../../readers/csv/records.js';
import type { ImportItem, ImportOptions, ReportSource } from '../../types.js';
import { hostOf, type NessusHost } from './host.js';
import { COVERED, readItem } from './item.js';
import { hostOfRow, isFixed, itemOfRow } from './row.js';

/** The CSV report of a scan: a row a plugin, port and CVE, in any order of its hosts. It does not tell its policy, nor whether it had credentials. */
export async function* readNessusCsv(
  source: ReportSource,
  layout: CsvRules,
  options: ImportOptions,
): AsyncGenerator<ImportItem, void, undefined> {
  const items = new ReportItems();
  const hosts = new Map<string, NessusHost>();
  yield* importRecords(readCsv(source, layout), (row, { position }) => {
    const { name, properties } = hostOfRow(row);
    const known = hosts.get(name);
    const host = known ?? hostOf(name, properties, undefined, options);
    const found = isFixed(row) ? [] : readItem(itemOfRow(row), position, host, items);
    if (known !== undefined) return found;
    hosts.set(name, host);
    return [...COVERED.map((engine) => coverage(engine, host.place.artifact as string, 'nessus', options)), ...found];
  });
}
