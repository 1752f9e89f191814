import { importElements } from '../../normalize/record-items.js';
import { ReportItems } from '../../normalize/observation.js';
import { timeInXml } from '../../normalize/report-time.js';
import { coverage } from '../../normalize/scope.js';
import { readHead } from '../../readers/source.js';
import { attributeOf, childrenOf, textOf } from '../../readers/xml/fields.js';
import { outlineXml } from '../../readers/xml/outline.js';
import { readXml } from '../../readers/xml/records.js';
import type { ReportFormat } from '../../types.js';
import { readNessusCsv } from './read-csv.js';
import { layoutOf } from './row.js';
import { hostOf, type NessusHost } from './host.js';
import { COVERED, ENGINES, readItem } from './item.js';

const ROOT = 'NessusClientData_v2';
const POLICY = `${ROOT}/Policy/policyName`;
const HOST = `${ROOT}/Report/ReportHost/@`;
const PROPERTIES = `${ROOT}/Report/ReportHost/HostProperties`;
const ITEM = `${ROOT}/Report/ReportHost/ReportItem`;

const endOfScan = timeInXml(PROPERTIES, (properties) => {
  const ended = childrenOf(properties, 'tag').find((tag) => attributeOf(tag, 'name') === 'HOST_END_TIMESTAMP');
  const seconds = Number(textOf(ended));
  return seconds > 0 && seconds < 1e11 ? new Date(seconds * 1000).toISOString() : undefined;
});

/** Results of Nessus, Tenable Vulnerability Management and Security Center (.nessus, version 2, and CSV). What one plugin says of one port of a host is one record. */
export const format: ReportFormat = {
  name: 'nessus',
  label: 'Nessus (.nessus or CSV)',
  engines: [...ENGINES],
  detection:
    'An XML report with the root `NessusClientData_v2`, or a CSV report with the columns Plugin ID, CVE, Risk, Host and Protocol, or Plugin, Plugin Name, Severity and IP Address.',
  produce:
    'curl -kH "X-ApiKeys: $NESSUS_KEYS" -d format=nessus https://localhost:8834/scans/5/export && curl -kH "X-ApiKeys: $NESSUS_KEYS" https://localhost:8834/scans/5/export/$FILE/download -o scan.nessus',
  outsideClouds: true,
  observedAt: async (source) => (layoutOf(await readHead(source)) !== undefined ? undefined : endOfScan(source)),
  detect: (head) => outlineXml(head)?.root === ROOT || layoutOf(head) !== undefined,
  async *read(source, options) {
    const layout = layoutOf(await readHead(source));
    if (layout !== undefined) {
      yield* readNessusCsv(source, layout, options);
      return;
    }
    const items = new ReportItems();
    let policy: string | undefined;
    let host: NessusHost = hostOf(undefined, undefined, policy, options);
    let isCovered = false;
    yield* importElements(
      readXml(source, [POLICY, HOST, PROPERTIES, ITEM]),
      (item, { position }) => {
        const scopes = isCovered ? [] : COVERED.map((engine) => coverage(engine, host.place.artifact as string, 'nessus', options));
        isCovered = true;
        return [...scopes, ...readItem(item, position, host, items)];
      },
      (element) => {
        host = hostOf(attributeOf(element, 'name'), undefined, policy, options);
        isCovered = false;
        return [];
      },
      {
        [POLICY]: (element) => {
          policy = textOf(element);
          return [];
        },
        [PROPERTIES]: (properties, { ancestors }) => {
          host = hostOf(attributeOf(ancestors.at(-1), 'name'), properties, policy, options);
          isCovered = true;
          return COVERED.map((engine) => coverage(engine, host.place.artifact as string, 'nessus', options));
        },
      },
    );
  },
};
