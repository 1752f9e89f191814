import { bestCvss, toRating } from '../../normalize/cvss.js';
import { hostItems } from '../../normalize/host-finding.js';
import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import { severityOfScore, toSeverity } from '../../normalize/severity.js';
import { findCves } from '../../normalize/taxonomy.js';
import { attributeOf, childrenOf, textOf } from '../../readers/xml/fields.js';
import type { XmlElement } from '../../readers/xml/element.js';
import type { ImportItem } from '../../types.js';
import type { NmapService } from './port.js';

/** What scripts that test for a vulnerability say in the manner of the library `vulns`: its state, and what it is. */
export function readReportedState(
  script: XmlElement,
  id: string,
  service: NmapService | undefined,
  position: string,
  place: PlaceDraft,
  items: ReportItems,
): ImportItem[] {
  return childrenOf(script, 'table').flatMap((table) => {
    const state = elemOf(table, 'state')?.toUpperCase();
    const result = resultOf(state);
    if (result === undefined) return [];
    const key = attributeOf(table, 'key') ?? id;
    const names = listOf(table, 'ids');
    const [cve] = findCves([key, ...names]);
    const scores = listOf(table, 'scores').map((text) => toRating(Number(/\d+(?:\.\d+)?/.exec(text)?.[0] ?? NaN), undefined));
    const score = bestCvss(scores.filter((rating) => rating !== undefined))?.score;
    const factor = /Risk factor: (\w+)/i.exec(attributeOf(script, 'output') ?? '')?.[1];
    return hostItems(
      {
        source: 'nmap',
        engine: 'vulnerability',
        ruleId: cve ?? `nmap-${id}-${key}`,
        title: elemOf(table, 'title') ?? key,
        description: listOf(table, 'description').join(' ').trim() || undefined,
        severity: toSeverity(factor) ?? (score === undefined ? 'high' : severityOfScore(score)),
        result,
        place,
        discriminator: service === undefined ? id : `${id} ${service.port}/${service.protocol}`,
        cvss: score,
        urls: listOf(table, 'refs'),
        evidence: {
          host: place.resource_uid,
          port: service?.port,
          protocol: service?.protocol,
          package_name: service?.product,
          installed_version: service?.version,
          state,
          script: id,
          identifiers: names,
        },
        position,
      },
      items,
    );
  });
}

function resultOf(state: string | undefined): 'FAIL' | 'PASS' | undefined {
  if (state === undefined || state.startsWith('UNKNOWN')) return undefined;
  if (state.startsWith('NOT VULNERABLE')) return 'PASS';
  return state.startsWith('VULNERABLE') || state.startsWith('LIKELY VULNERABLE') ? 'FAIL' : undefined;
}

const elemOf = (table: XmlElement, key: string): string | undefined =>
  textOf(childrenOf(table, 'elem').find((elem) => attributeOf(elem, 'key') === key));

const listOf = (table: XmlElement, key: string): string[] =>
  childrenOf(
    childrenOf(table, 'table').find((one) => attributeOf(one, 'key') === key),
    'elem',
  ).flatMap((elem) => textOf(elem) ?? []);
