import { isIPv6 } from 'node:net';

const MAPPED = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;

/** The first groups of an IPv6 address, as a network. */
function networkOf(address: string, groups: number): string {
  const [head = '', tail] = address.split('%')[0]!.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const all = tail === undefined ? left : [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right];
  const short = all.slice(0, groups).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${short.join(':')}::/${groups * 16}`;
}

/**
 * What counts as one address for limits: an IPv4 address as it is, an IPv6 address by its first 64 bits, because one subscriber holds
 * all of the rest.
 */
export function addressKey(address: string | undefined): string {
  // a client that has hung up already has none any more
  if (address === undefined) return 'gone';
  const mapped = MAPPED.exec(address);
  if (mapped) return mapped[1]!;
  return isIPv6(address) ? networkOf(address, 4) : address.slice(0, 64);
}

/** What counts as one neighbourhood: the /24 of an IPv4 address, the /48 of an IPv6 address, which one customer of a provider may hold whole. */
export function addressBlock(address: string | undefined): string {
  if (address !== undefined && isIPv6(address) && !MAPPED.test(address)) return networkOf(address, 3);
  const key = addressKey(address);
  const [, network] = /^(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/.exec(key) ?? [];
  return network === undefined ? key : `${network}.0/24`;
}
