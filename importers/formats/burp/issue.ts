import type { ReportItems } from '../../normalize/observation.js';
import { plainHtml } from '../../normalize/plain-html.js';
import { toSeverity } from '../../normalize/severity.js';
import { webItems, webPlace } from '../../normalize/web-finding.js';
import { compact } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';

/** An issue, by the names that Burp's XML has for its parts; those of its REST interface are told by them. */
export interface BurpIssue {
  type: string;
  name: string | undefined;
  severity: string;
  confidence: string | undefined;
  host: string | undefined;
  ip: string | undefined;
  path: string | undefined;
  /** The path and in brackets what of the request it is about: `/search [q parameter]`. */
  location: string | undefined;
  method: string | undefined;
  serialNumber: string | undefined;
  /** The parts that are HTML. */
  background: string | undefined;
  detail: string | undefined;
  remediation: readonly (string | undefined)[];
  references: string | undefined;
  classifications: readonly string[];
}

/** The items of one issue; one that was marked as a false positive says nothing. */
export function issueItems(issue: BurpIssue, position: string, options: ImportOptions, items: ReportItems): ImportItem[] {
  if (/^false[ _]positive$/i.test(issue.severity)) return [];
  const path = issue.path?.replace(/[?#].*$/s, '');
  return webItems(
    {
      source: 'burp',
      engine: 'secops',
      tool: 'Burp Suite',
      ruleId: `burp-${issue.type}`,
      title: issue.name ?? issue.type,
      description: plain(issue.background),
      severity: /^information$/i.test(issue.severity) ? 'info' : (toSeverity(issue.severity) ?? 'info'),
      place: webPlace(issue.host, options),
      method: issue.method,
      path,
      parameter: /\[(.+?) (?:parameter|cookie|JSON parameter|HTTP header)\]$/.exec(issue.location ?? '')?.[1],
      discriminator: [path ?? '', /\[.+\]$/.exec(issue.location ?? '')?.[0] ?? ''].join('|'),
      detail: plain(issue.detail),
      confidence: issue.confidence?.toLowerCase(),
      guidance: plain(...issue.remediation),
      urls: addressesIn(issue.references),
      cwes: issue.classifications,
      evidence: compact({ location: issue.location, ip: issue.ip, serial_number: issue.serialNumber }),
      position,
    },
    items,
  );
}

const plain = (...parts: readonly (string | undefined)[]): string | undefined =>
  parts
    .map((part) => plainHtml(part ?? ''))
    .filter((text) => text !== '')
    .join('\n') || undefined;

/** The addresses of links in a piece of HTML. */
const addressesIn = (html: string | undefined): string[] =>
  Array.from((html ?? '').matchAll(/href="([^"]{1,2000})"/g), ([, address]) => address as string);
