import { attributeOf, childrenOf, textOf } from '../../readers/xml/fields.js';
import type { XmlElement } from '../../readers/xml/element.js';
import type { ControlReference } from '../../types.js';

/** What the address of a reference says of the framework that it is of. */
const FRAMEWORKS: readonly (readonly [RegExp, string])[] = [
  [/cisecurity\.org\/controls/i, 'CIS Controls'],
  [/cisecurity\.org/i, 'CIS Benchmark'],
  [/NIST\.SP\.800-53|800-53/i, 'NIST 800-53'],
  [/NIST\.SP\.800-171|800-171/i, 'NIST 800-171'],
  [/nist\.gov\/cyberframework/i, 'NIST CSF'],
  [/pcisecuritystandards\.org/i, 'PCI DSS'],
  [/iso\.org/i, 'ISO 27001'],
  [/cyber\.mil\/stigs\/cci|cyber\.mil\/cci|stigs\/cci/i, 'CCI'],
  [/gpo\.gov|hipaa/i, 'HIPAA'],
  [/niap-ccevs\.org/i, 'NIAP'],
  [/ssi\.gouv\.fr/i, 'ANSSI BP-028'],
  [/bsi\.bund\.de/i, 'BSI'],
  [/isaca\.org/i, 'COBIT 5'],
];

/** The controls that a rule or its result names, and its other links. */
export function controlsOf(rule: XmlElement): { controls: ControlReference[]; urls: string[] } {
  const controls = new Map<string, ControlReference>();
  const urls: string[] = [];
  const add = (address: string, id: string | undefined): boolean => {
    const framework = FRAMEWORKS.find(([pattern]) => pattern.test(address))?.[1];
    if (framework === undefined || id === undefined || id.length > 100) return false;
    controls.set(`${framework} ${id}`, { framework, control_id: id });
    return true;
  };
  for (const ident of childrenOf(rule, 'ident')) {
    const id = textOf(ident);
    if (/^CCI-\d+$/.test(id ?? '')) add('cyber.mil/cci', id);
    else add(attributeOf(ident, 'system') ?? '', id);
  }
  for (const reference of childrenOf(rule, 'reference')) {
    const address = attributeOf(reference, 'href') ?? '';
    if (!add(address, textOf(reference))) urls.push(address);
  }
  return { controls: [...controls.values()], urls };
}
