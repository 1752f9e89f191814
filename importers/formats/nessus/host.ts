import { hostPlace } from '../../normalize/host.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import { attributeOf, childrenOf, textOf } from '../../readers/xml/fields.js';
import type { XmlElement } from '../../readers/xml/element.js';
import type { ImportOptions } from '../../types.js';

/** A host of a report. */
export interface NessusHost {
  place: PlaceDraft;
  name: string;
}

/**
 * A host by what it was scanned as. A scan sees what its policy has it look at, and less without credentials: what it covers is called by
 * both, so that a narrower scan closes nothing of a wider one.
 */
export function hostOf(
  name: string | undefined,
  properties: XmlElement | undefined,
  policy: string | undefined,
  options: ImportOptions,
): NessusHost {
  const tags = new Map<string, string>();
  for (const tag of childrenOf(properties, 'tag')) {
    const key = attributeOf(tag, 'name');
    const value = textOf(tag);
    if (key !== undefined && value !== undefined) tags.set(key, value);
  }
  const isTrusted = tags.get('Credentialed_Scan') === 'true';
  const looked = `${tags.get('policy-used') ?? policy ?? 'Nessus'}${isTrusted ? ', with credentials' : ''}`;
  const place = hostPlace(
    {
      names: [name, tags.get('host-fqdn'), tags.get('hostname'), tags.get('netbios-name')],
      addresses: [tags.get('host-ip')],
      operatingSystem: tags.get('operating-system')?.split('\n')[0],
      metadata: {
        ...(tags.has('host-fqdn') && { fqdn: tags.get('host-fqdn') }),
        ...(tags.has('mac-address') && { mac_addresses: tags.get('mac-address')?.split(/\s+/).slice(0, 20) }),
        credentialed_scan: isTrusted,
      },
    },
    options,
    looked,
  );
  return { place, name: place.resource_uid };
}
