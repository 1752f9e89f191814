import { cloudUid, toProvider } from '../../normalize/cloud.js';
import { cloudPlace, type CloudPlace, type CloudResource } from '../../normalize/cloud-resource.js';
import { asObject, textAt } from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';

/** What Wiz appends to identifiers, to tell kinds of one resource apart. */
const KIND = /##\w+$/;

/** Where a finding of Wiz lies. */
export function wizPlace(resource: Omit<CloudResource, 'provider'> & { platform: string | undefined }, options: ImportOptions): CloudPlace {
  const { platform, ...rest } = resource;
  const uid = cloudUid(rest.uid.replace(KIND, ''));
  return cloudPlace({ ...rest, uid, provider: toProvider(platform) }, options);
}

/** The identifier as the cloud writes it: Wiz has those of Azure in small letters, and the resource's own document beside them. */
export function writtenId(id: string, document: string | undefined): string {
  const plain = id.replace(KIND, '');
  try {
    const own = textAt(asObject(JSON.parse(document ?? '')), 'id');
    return own !== undefined && own.toLowerCase() === plain.toLowerCase() ? own : plain;
  } catch {
    return plain;
  }
}
