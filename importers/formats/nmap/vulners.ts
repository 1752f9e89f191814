import { toRating } from '../../normalize/cvss.js';
import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import { attributeOf, childrenOf, textOf } from '../../readers/xml/fields.js';
import type { XmlElement } from '../../readers/xml/element.js';
import type { ImportItem } from '../../types.js';
import type { NmapService } from './port.js';

interface Listed {
  cpe: string;
  id: string;
  score: number;
  isExploit: boolean;
}

const LINE = /^\s*(CVE-\d{4}-\d{4,})\s+(\d{1,2}(?:\.\d+)?)\s+(https?:\/\/\S+)/;

/** What the script `vulners` lists of a product and its version: each CVE once, and whether an exploit is known for its score. */
export function readVulners(
  script: XmlElement,
  service: NmapService | undefined,
  position: string,
  place: PlaceDraft,
  items: ReportItems,
): ImportItem[] {
  const tables = childrenOf(script, 'table').flatMap(ofTable);
  const listed = tables.length > 0 ? tables : ofText(attributeOf(script, 'output') ?? '', service?.cpes[0] ?? '');
  return listed.flatMap(({ cpe, id, score, isExploit }) =>
    vulnerabilityItems(
      {
        source: 'nmap',
        advisory: {
          id,
          ratings: [toRating(score, undefined, { source: 'vulners' })],
          urls: [`https://vulners.com/cve/${id}`],
        },
        package: packageOf(cpe, service),
        place,
        evidence: {
          host: place.resource_uid,
          port: service?.port,
          protocol: service?.protocol,
          cpe,
          exploit_available: isExploit ? true : undefined,
          script: 'vulners',
        },
        position,
      },
      items,
    ),
  );
}

function ofTable(product: XmlElement): Listed[] {
  const cpe = attributeOf(product, 'key') ?? '';
  return childrenOf(product, 'table').flatMap((entry) => {
    const values = new Map(childrenOf(entry, 'elem').map((elem) => [attributeOf(elem, 'key'), textOf(elem)]));
    const id = values.get('id');
    if (id === undefined || !/^CVE-\d{4}-\d{4,}$/.test(id)) return [];
    return [{ cpe, id, score: Number(values.get('cvss') ?? 0), isExploit: values.get('is_exploit') === 'true' }];
  });
}

/** As versions of the script before 1.3 write it. */
function ofText(output: string, otherwise: string): Listed[] {
  let cpe = otherwise;
  return output.split('\n').flatMap((line) => {
    cpe = /^\s*(cpe:\S+?):?\s*$/.exec(line)?.[1] ?? cpe;
    const [, id, score] = LINE.exec(line) ?? [];
    return id === undefined ? [] : [{ cpe, id, score: Number(score), isExploit: line.includes('*EXPLOIT*') }];
  });
}

/** `openbsd:openssh` of `cpe:/a:openbsd:openssh:7.4`. */
function packageOf(cpe: string, service: NmapService | undefined): { name: string; version: string | undefined } {
  const [, vendor, product, version] = /^cpe:(?:\/|2\.3:)[aoh]:([^:]+):([^:]+)(?::([^:]+))?/.exec(cpe) ?? [];
  if (vendor === undefined || product === undefined)
    return { name: service?.product ?? service?.name ?? 'service', version: service?.version };
  return { name: `${vendor}:${product}`, version: version ?? service?.version };
}
