import type { ImportOptions } from '../types.js';
import { outsidePlace } from './artifact.js';
import type { PlaceDraft } from './observation.js';

/** A host as a scanner knows it. */
export interface ScannedHost {
  /** Its names, the one to know it by first. */
  names: readonly (string | undefined)[];
  /** Its addresses, for a host whose names say nothing. */
  addresses?: readonly (string | undefined)[];
  operatingSystem?: string | undefined;
  /** What else is kept of it: addresses of network cards, other names. */
  metadata?: Record<string, unknown>;
}

/** Names that every host has, or that stand for none. */
const NO_NAME = /^(?:localhost\d?(?:\.localdomain\d?)?|none|null|unknown|n\/a|-|\(none\)|)$/i;
/** Addresses that every host has, or that stand for none. */
const NO_ADDRESS = /^(?:127\..*|(?:0{0,4}:){2,7}0{0,3}1|fe80:.*|169\.254\..*|0\.0\.0\.0|::|none|)$/i;

/**
 * A host by the name that it is scanned under, in lower case; where that is none of its own, by its address, so that the findings of two
 * hosts that call themselves `localhost` do not meet.
 * @param looked how it was looked at, where not every scan sees the same of it: what one did not look at it does not close
 */
export function hostPlace(host: ScannedHost, options: ImportOptions, looked?: string): PlaceDraft {
  const names = host.names.flatMap((name) => name?.trim().toLowerCase() ?? []);
  const addresses = (host.addresses ?? []).flatMap((address) => address?.trim().toLowerCase() ?? []);
  const known = names.find((name) => !NO_NAME.test(name) && !NO_ADDRESS.test(name)) ?? addresses.find((one) => !NO_ADDRESS.test(one));
  const uid = known ?? [...names, ...addresses].find((name) => name !== '') ?? 'host';
  const place = outsidePlace(uid, 'host', options);
  return {
    ...place,
    artifact: looked === undefined ? uid : `${uid} (${looked})`,
    provider_metadata: {
      ...place.provider_metadata,
      ...(addresses.length > 0 && { addresses: [...new Set(addresses)].slice(0, 20) }),
      ...(host.operatingSystem !== undefined && { operating_system: host.operatingSystem }),
      ...(known === undefined && { unnamed: true }),
      ...host.metadata,
    },
  };
}

/** Whether a host is told apart from others: what covers one of no name would close the findings of any. */
export const isNamed = (place: PlaceDraft): boolean => place.provider_metadata?.['unnamed'] !== true;
