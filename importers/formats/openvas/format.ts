import { ReportItems } from '../../normalize/observation.js';
import { importElements, importRecords } from '../../normalize/record-items.js';
import { timeInXml } from '../../normalize/report-time.js';
import { coverage } from '../../normalize/scope.js';
import { findCsvHeader } from '../../readers/csv/header.js';
import { readCsv } from '../../readers/csv/records.js';
import { textAt as textAtRow } from '../../readers/json/fields.js';
import { readHead } from '../../readers/source.js';
import { textAt, textOf } from '../../readers/xml/fields.js';
import { outlineXml } from '../../readers/xml/outline.js';
import { readXml } from '../../readers/xml/records.js';
import type { ImportItem, ReportFormat } from '../../types.js';
import { COLUMNS, resultOfRow } from './row.js';
import { ENGINES, hostOf, readResult } from './result.js';

/** A report stands alone, in the envelope of its export, and in the answer of the protocol. */
const BASES = ['report', 'report/report', 'get_reports_response/report', 'get_reports_response/report/report'];
const at = (path: string): string[] => BASES.map((base) => `${base}/${path}`);
const TASKS = at('task');
const HOSTS = at('host/ip');

const isCsv = (head: string): boolean => findCsvHeader(head, { columns: COLUMNS }) !== undefined;

/** Reports of OpenVAS and the Greenbone products in XML and CSV. One result of one test on one port of a host is one record. */
export const format: ReportFormat = {
  name: 'openvas',
  label: 'OpenVAS (Greenbone) XML or CSV',
  engines: [...ENGINES],
  detection:
    'An XML report with the root `report`, or `get_reports_response`, and in it what Greenbone puts around its results, or a CSV report with the columns NVT Name and NVT OID.',
  produce: `gvm-cli socket --xml "<get_reports report_id='$REPORT' details='1' ignore_pagination='1'/>" > report.xml`,
  outsideClouds: true,
  observedAt: async (source) => (isCsv(await readHead(source)) ? undefined : timeInXml('//scan_end', textOf)(source)),
  detect(head) {
    if (isCsv(head)) return true;
    const outline = outlineXml(head);
    if (outline?.root === 'get_reports_response') return true;
    if (outline?.root !== 'report') return false;
    const has = (path: string): boolean => outline.paths.has(path);
    return (
      has('@format_id') ||
      has('report_format') ||
      ['', 'report/'].some((base) => ['gmp', 'omp', 'scan_run_status', 'results/result/nvt'].some((path) => has(base + path)))
    );
  },
  async *read(source, options) {
    const items = new ReportItems();
    let task: string | undefined;
    const covered = new Set<string>();
    const cover = (address: string | undefined): ImportItem[] => {
      const { artifact = '' } = hostOf(address, undefined, task, options);
      if (covered.has(artifact)) return [];
      covered.add(artifact);
      return ENGINES.map((engine) => coverage(engine, artifact, 'openvas', options));
    };
    if (isCsv(await readHead(source))) {
      yield* importRecords(readCsv(source, { columns: COLUMNS }), (row, { position }) => {
        task = textAtRow(row, 'task name') ?? task;
        const read = readResult(resultOfRow(row), position, task, options, items);
        return [...cover(read.address), ...read.items];
      });
      return;
    }
    yield* importElements(
      readXml(source, [...TASKS, ...HOSTS, ...at('results/result')]),
      (result, { position }) => {
        const read = readResult(result, position, task, options, items);
        return [...cover(read.address), ...read.items];
      },
      undefined,
      {
        ...Object.fromEntries(TASKS.map((path) => [path, (element) => ((task ??= textAt(element, 'name')), [])])),
        ...Object.fromEntries(HOSTS.map((path) => [path, (element) => cover(textOf(element))])),
      },
    );
  },
};
