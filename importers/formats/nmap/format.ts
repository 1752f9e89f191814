import { ReportItems } from '../../normalize/observation.js';
import { importElements } from '../../normalize/record-items.js';
import { timeInXml } from '../../normalize/report-time.js';
import { coverage } from '../../normalize/scope.js';
import { attributeOf, numberOf } from '../../readers/xml/fields.js';
import { outlineXml } from '../../readers/xml/outline.js';
import { readXml } from '../../readers/xml/records.js';
import type { ReportFormat } from '../../types.js';
import { NmapScan } from './scan.js';
import { readPort, readScript } from './port.js';

const ROOT = 'nmaprun';
const RUN = `${ROOT}/@`;
const PORTS_ASKED = `${ROOT}/scaninfo`;
const HOST = `${ROOT}/host/@`;
const ADDRESS = `${ROOT}/host/address`;
const NAME = `${ROOT}/host/hostnames/hostname`;
const PORTS = `${ROOT}/host/ports/@`;
const PORT = `${ROOT}/host/ports/port`;
const SCRIPT = `${ROOT}/host/hostscript/script`;

/** Nmap's XML output. One port of a host is one record, and so is one script that looked at a host as a whole. */
export const format: ReportFormat = {
  name: 'nmap',
  label: 'Nmap XML',
  engines: ['technology', 'vulnerability'],
  detection: 'An XML report with the root `nmaprun`.',
  produce: 'nmap -sV --script vulners -oX scan.xml 192.0.2.0/24',
  outsideClouds: true,
  observedAt: timeInXml(RUN, (run) => {
    const seconds = numberOf(run, 'start') ?? 0;
    return seconds > 0 && seconds < 1e11 ? new Date(seconds * 1000).toISOString() : undefined;
  }),
  detect: (head) => outlineXml(head)?.root === ROOT,
  async *read(source, options) {
    const items = new ReportItems();
    const scan = new NmapScan(options);
    const nothing = () => [];
    yield* importElements(
      readXml(source, [RUN, PORTS_ASKED, HOST, ADDRESS, NAME, PORTS, PORT, SCRIPT]),
      (element, { path, position }) =>
        path === PORT ? readPort(element, position, scan.place, items) : readScript(element, undefined, position, scan.place, items),
      (element, { path }) => {
        if (path === RUN) scan.begin(attributeOf(element, 'args'));
        else if (path === HOST) scan.nextHost();
        else
          return ['technology', ...(scan.hasScripts ? ['vulnerability'] : [])].map((engine) =>
            coverage(engine, scan.place.artifact as string, 'nmap', options),
          );
        return [];
      },
      {
        [PORTS_ASKED]: (element) => (scan.asked(attributeOf(element, 'protocol'), attributeOf(element, 'services')), nothing()),
        [ADDRESS]: (element) => (scan.address(attributeOf(element, 'addr'), attributeOf(element, 'addrtype')), nothing()),
        [NAME]: (element) => (scan.hostName(attributeOf(element, 'name'), attributeOf(element, 'type')), nothing()),
      },
    );
  },
};
