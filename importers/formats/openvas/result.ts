import { toRating } from '../../normalize/cvss.js';
import { hostItems, type HostFinding } from '../../normalize/host-finding.js';
import { hostPlace } from '../../normalize/host.js';
import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import { severityOfScore, toSeverity } from '../../normalize/severity.js';
import { findCves } from '../../normalize/taxonomy.js';
import { compact } from '../../readers/json/fields.js';
import { attributeOf, childAt, childrenOf, numberAt, requireAttribute, requireChild, textAt } from '../../readers/xml/fields.js';
import type { XmlElement } from '../../readers/xml/element.js';
import type { ImportItem, ImportOptions } from '../../types.js';

/** The engines that results feed. */
export const ENGINES = ['vulnerability', 'technology', 'encryption', 'dbsec'] as const;

const SOURCE = 'openvas';

/** A host by the address that it was scanned at; what a task looks at is its own to close. */
export function hostOf(
  address: string | undefined,
  name: string | undefined,
  task: string | undefined,
  options: ImportOptions,
): PlaceDraft {
  return hostPlace(
    { names: [address, name], addresses: [address], metadata: name === undefined ? {} : { fqdn: name } },
    options,
    task ?? 'OpenVAS',
  );
}

/** Turns one result into its rules and observations: one a CVE, or one where it names none. */
export function readResult(
  result: XmlElement,
  position: string,
  task: string | undefined,
  options: ImportOptions,
  items: ReportItems,
): { address: string | undefined; items: ImportItem[] } {
  const nvt = requireChild(result, 'nvt');
  const oid = requireAttribute(nvt, 'oid');
  const host = childAt(result, 'host');
  const address = host?.content.find((part): part is string => typeof part === 'string' && part.trim() !== '')?.trim();
  const place = hostOf(address, textAt(host, 'hostname'), task, options);
  return { address, items: itemsOf(result, nvt, oid, place, position, items) };
}

function itemsOf(result: XmlElement, nvt: XmlElement, oid: string, place: PlaceDraft, position: string, items: ReportItems): ImportItem[] {
  const threat = textAt(result, 'threat');
  const score = numberAt(result, 'severity');
  // somebody has judged that it is none
  const isRefuted = threat === 'False Positive' || (score !== undefined && score < 0);
  const name = textAt(nvt, 'name') ?? textAt(result, 'name') ?? oid;
  const tags = tagsOf(textAt(nvt, 'tags'));
  const port = textAt(result, 'port');
  const [, number, transport] = /(\d{1,5})\/(tcp|udp)/.exec(port ?? '') ?? [];
  const judged = isRefuted ? (numberAt(result, 'original_severity') ?? numberAt(nvt, 'cvss_base')) : score;
  const severity = judged === undefined ? (toSeverity(threat) ?? 'info') : severityOfScore(Math.max(0, judged));
  const texts = {
    description: [tags.get('summary'), tags.get('insight')].filter((text) => text !== undefined).join('\n\n') || undefined,
    guidance: textAt(nvt, 'solution') ?? tags.get('solution'),
    urls: urlsOf(nvt),
  };
  const evidence = compact({
    oid,
    nvt_name: name,
    family: textAt(nvt, 'family'),
    host: place.resource_uid,
    port: number === undefined ? undefined : Number(number),
    transport,
    quality_of_detection: numberAt(result, 'qod/value'),
    solution_type: attributeOf(childAt(nvt, 'solution'), 'type') ?? tags.get('solution_type'),
    status_detail: textAt(result, 'description')?.slice(0, 4_000),
    product_cpe: productOf(result),
    threat,
  });
  const cves = cvesOf(nvt);
  const rating = toRating(judged !== undefined && judged > 0 ? judged : undefined, tags.get('cvss_base_vector'));
  if (cves.length === 0 || severity === 'info')
    return hostItems(
      {
        ...texts,
        source: SOURCE,
        engine: engineOf(textAt(nvt, 'family'), severity),
        ruleId: oid,
        title: name,
        severity,
        result: isRefuted ? 'PASS' : 'FAIL',
        place,
        discriminator: number === undefined ? undefined : `${number}/${transport}`,
        detail: textAt(result, 'description'),
        cvss: severity === 'info' ? undefined : rating?.score,
        evidence,
        position,
      },
      items,
    );
  return cves.flatMap((id) =>
    vulnerabilityItems(
      {
        source: SOURCE,
        advisory: {
          ...texts,
          id,
          title: name === id ? undefined : `${name} (${id})`,
          severity,
          // the score is the highest of them
          ratings: cves.length === 1 ? [rating] : [],
        },
        package: { name: cpeProduct(productOf(result)) ?? name },
        place,
        result: isRefuted ? 'PASS' : 'FAIL',
        evidence: { ...evidence, cves: cves.slice(0, 100) },
        position,
      },
      items,
    ),
  );
}

function engineOf(family: string | undefined, severity: string): HostFinding['engine'] {
  if (severity === 'info') return 'technology';
  if (family === 'SSL and TLS') return 'encryption';
  return family === 'Databases' ? 'dbsec' : 'vulnerability';
}

/** `summary=…|insight=…`; a bar in a text has blanks around it. */
function tagsOf(text: string | undefined): Map<string, string> {
  const tags = new Map<string, string>();
  for (const part of (text ?? '').split(/\|(?=\w+=)/)) {
    const at = part.indexOf('=');
    const value = part.slice(at + 1).trim();
    if (at > 0 && value !== '' && value !== 'NOTAG') tags.set(part.slice(0, at), value);
  }
  return tags;
}

/** References of today, and the lists in texts of releases before 20.08. */
function cvesOf(nvt: XmlElement): string[] {
  const refs = childrenOf(childAt(nvt, 'refs'), 'ref').flatMap((ref) => attributeOf(ref, 'id') ?? []);
  return findCves([...refs, textAt(nvt, 'cve') ?? '']);
}

function urlsOf(nvt: XmlElement): string[] {
  const refs = childrenOf(childAt(nvt, 'refs'), 'ref').filter((ref) => attributeOf(ref, 'type')?.toLowerCase() === 'url');
  const listed = (textAt(nvt, 'xref') ?? '').split(/,\s*/).map((part) => part.replace(/^URL:/, ''));
  return [...refs.flatMap((ref) => attributeOf(ref, 'id') ?? []), ...listed];
}

/** The product that the test found the host to run. */
function productOf(result: XmlElement): string | undefined {
  const details = childrenOf(childAt(result, 'detection/result/details'), 'detail');
  return textAt(
    details.find((detail) => textAt(detail, 'name') === 'product'),
    'value',
  );
}

function cpeProduct(cpe: string | undefined): string | undefined {
  const [, vendor, product] = /^cpe:(?:\/|2\.3:)[aoh]:([^:]+):([^:]+)/.exec(cpe ?? '') ?? [];
  return vendor === undefined || product === undefined ? undefined : `${vendor}:${product}`;
}
