import { ReportItems } from '../../normalize/observation.js';
import { importRecords } from '../../normalize/record-items.js';
import { findCsvHeader } from '../../readers/csv/header.js';
import { readCsv } from '../../readers/csv/records.js';
import { readHead } from '../../readers/source.js';
import type { ReportFormat } from '../../types.js';
import { readAlert } from './alert.js';
import { readWorkloadRow } from './workload.js';

const WORKLOADS = { columns: ['CVE ID', 'Compliance ID', 'Type', 'Severity', 'Packages'] };
const ALERTS = { columns: ['Alert ID', 'Policy Name', 'Resource Name', 'Cloud Type', 'Alert Status'] };

/** Prisma Cloud's CSV: vulnerabilities and compliance of hosts, images and containers (Compute), and alerts of policies. One row is one record. */
export const format: ReportFormat = {
  name: 'prisma_csv',
  label: 'Prisma Cloud CSV reports of workloads and alerts',
  engines: ['check', 'vulnerability', 'container-security', 'agent'],
  detection: 'A CSV report with the columns CVE ID, Compliance ID and Packages, or Alert ID and Policy Name.',
  produce: 'the CSV that Prisma Cloud exports under Monitor > Vulnerabilities, Monitor > Compliance, or Alerts',
  outsideClouds: true,
  detect: (head) => [WORKLOADS, ALERTS].some((rules) => findCsvHeader(head, rules) !== undefined),
  async *read(source, options) {
    const items = new ReportItems();
    const isOfAlerts = findCsvHeader(await readHead(source), ALERTS) !== undefined;
    const read = isOfAlerts ? readAlert : readWorkloadRow;
    yield* importRecords(readCsv(source, isOfAlerts ? ALERTS : WORKLOADS), (row, { position }) => read(row, position, options, items));
  },
};
