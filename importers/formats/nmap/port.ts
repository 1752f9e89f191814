import { hostItems } from '../../normalize/host-finding.js';
import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import { compact } from '../../readers/json/fields.js';
import { attributeOf, childAt, childrenOf, numberOf, requireAttribute, requireChild, textsAt } from '../../readers/xml/fields.js';
import type { XmlElement } from '../../readers/xml/element.js';
import { BrokenRecord } from '../../readers/record.js';
import type { ImportItem } from '../../types.js';
import { readReportedState } from './reported-state.js';
import { readVulners } from './vulners.js';

const SOURCE = 'nmap';
/** Scripts that list what databases know of a product and its version. */
const LISTS = new Set(['vulners', 'vulners_enterprise']);

/** A service that scripts looked at. */
export interface NmapService {
  port: number;
  protocol: string;
  name: string | undefined;
  product: string | undefined;
  version: string | undefined;
  cpes: string[];
}

/** Turns one port into what listens there, and what scripts found in it. */
export function readPort(element: XmlElement, position: string, place: PlaceDraft, items: ReportItems): ImportItem[] {
  const protocol = requireAttribute(element, 'protocol');
  const port = numberOf(element, 'portid');
  if (port === undefined || !Number.isInteger(port) || port < 0 || port > 65_535) throw new BrokenRecord('port/@portid is no port');
  const state = requireAttribute(requireChild(element, 'state'), 'state');
  const found = childAt(element, 'service');
  const service: NmapService = {
    port,
    protocol,
    name: attributeOf(found, 'name'),
    product: attributeOf(found, 'product'),
    version: attributeOf(found, 'version'),
    cpes: textsAt(found, 'cpe'),
  };
  return [
    ...portItems(element, service, state, position, place, items),
    ...childrenOf(element, 'script').flatMap((script) => readScript(script, service, position, place, items)),
  ];
}

/** Of what may be open or not the report says nothing. */
function portItems(
  element: XmlElement,
  { port, protocol, name, product, version, cpes }: NmapService,
  state: string,
  position: string,
  place: PlaceDraft,
  items: ReportItems,
): ImportItem[] {
  if (state.includes('|') || state === 'unfiltered') return [];
  const runs = [product, version].filter((word) => word !== undefined).join(' ');
  const service = childAt(element, 'service');
  const what = [name, runs === '' ? undefined : `(${runs})`].filter((word) => word !== undefined).join(' ');
  return hostItems(
    {
      source: SOURCE,
      engine: 'technology',
      ruleId: 'open-port',
      ruleTitle: 'A port is open',
      title: `Port ${port}/${protocol} is ${state}${what === '' ? '' : `: ${what}`}`,
      severity: 'info',
      result: state === 'open' ? 'FAIL' : 'PASS',
      place,
      discriminator: `${port}/${protocol}`,
      guidance: 'Close the port or restrict who may reach it, unless what listens there is meant to be reached.',
      evidence: compact({
        product,
        product_version: version,
        host: place.resource_uid,
        port,
        transport: protocol,
        state,
        service_name: name,
        tunnel: attributeOf(service, 'tunnel'),
        extra_info: attributeOf(service, 'extrainfo'),
        operating_system: attributeOf(service, 'ostype'),
        cpes,
        banner: childrenOf(element, 'script')
          .filter((script) => attributeOf(script, 'id') === 'banner')
          .map((script) => attributeOf(script, 'output')?.slice(0, 1_000))[0],
      }),
      position,
    },
    items,
  );
}

/** What a script found: of a service, or of the host as a whole. Most scripts tell facts, which are none of ours. */
export function readScript(
  script: XmlElement,
  service: NmapService | undefined,
  position: string,
  place: PlaceDraft,
  items: ReportItems,
): ImportItem[] {
  const id = requireAttribute(script, 'id');
  return LISTS.has(id)
    ? readVulners(script, service, position, place, items)
    : readReportedState(script, id, service, position, place, items);
}
