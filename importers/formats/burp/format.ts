import { ReportItems } from '../../normalize/observation.js';
import { plainHtml } from '../../normalize/plain-html.js';
import { importElements } from '../../normalize/record-items.js';
import { toSeverity } from '../../normalize/severity.js';
import { webItems, webPlace } from '../../normalize/web-finding.js';
import { compact } from '../../readers/json/fields.js';
import type { XmlElement } from '../../readers/xml/element.js';
import { attributeOf, childAt, requireTextAt, textAt, textsAt } from '../../readers/xml/fields.js';
import { outlineXml } from '../../readers/xml/outline.js';
import { readXml } from '../../readers/xml/records.js';
import type { ImportItem, ImportOptions, ReportFormat } from '../../types.js';

/** Issues that Burp Suite exports as XML. One issue is one record; those marked as false positives say nothing. */
export const format: ReportFormat = {
  name: 'burp',
  label: 'Burp Suite XML',
  engines: ['secops'],
  detection: 'An XML report with the root `issues` and its attribute burpVersion.',
  produce: 'Target > Site map > Issues > Report selected issues > XML in Burp Suite',
  outsideClouds: true,
  detect: (head) => {
    const outline = outlineXml(head);
    return outline?.root === 'issues' && (outline.paths.has('@burpVersion') || outline.paths.has('issue/serialNumber'));
  },
  async *read(source, options) {
    const items = new ReportItems();
    yield* importElements(readXml(source, ['issues/issue']), (issue, { position }) => issueItems(issue, position, options, items));
  },
};

function issueItems(issue: XmlElement, position: string, options: ImportOptions, items: ReportItems): ImportItem[] {
  const type = requireTextAt(issue, 'type');
  const severity = requireTextAt(issue, 'severity');
  if (/^false positive$/i.test(severity)) return [];
  const name = textAt(issue, 'name') ?? type;
  const host = childAt(issue, 'host');
  const path = textAt(issue, 'path')?.replace(/[?#].*$/s, '');
  const location = textAt(issue, 'location');
  const request = childAt(issue, 'requestresponse/request');
  const plain = (...names: string[]): string | undefined =>
    names
      .map((part) => plainHtml(textAt(issue, part) ?? ''))
      .filter((text) => text !== '')
      .join('\n') || undefined;
  return webItems(
    {
      source: 'burp',
      engine: 'secops',
      tool: 'Burp Suite',
      ruleId: `burp-${type}`,
      title: name,
      description: plain('issueBackground'),
      severity: /^information$/i.test(severity) ? 'info' : (toSeverity(severity) ?? 'info'),
      place: webPlace(textAt(issue, 'host'), options),
      method: attributeOf(request, 'method'),
      path,
      // `/search [q parameter]`
      parameter: /\[(.+?) (?:parameter|cookie|JSON parameter|HTTP header)\]$/.exec(location ?? '')?.[1],
      discriminator: [path ?? '', /\[.+\]$/.exec(location ?? '')?.[0] ?? ''].join('|'),
      detail: plain('issueDetail'),
      confidence: textAt(issue, 'confidence')?.toLowerCase(),
      guidance: plain('remediationDetail', 'remediationBackground'),
      urls: addressesIn(textAt(issue, 'references')),
      cwes: textsAt(issue, 'vulnerabilityClassifications'),
      evidence: compact({ location, ip: attributeOf(host, 'ip'), serial_number: textAt(issue, 'serialNumber') }),
      position,
    },
    items,
  );
}

/** The addresses of links in a piece of HTML. */
const addressesIn = (html: string | undefined): string[] =>
  Array.from((html ?? '').matchAll(/href="([^"]{1,2000})"/g), ([, address]) => address as string);
