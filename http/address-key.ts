import { isIPv6 } from 'node:net';

/**
 * What counts as one address for limits: an IPv4 address as it is, an IPv6 address by its first 64 bits, because one subscriber holds
 * all of the rest.
 */
export function addressKey(address: string | undefined): string {
  // a client that has hung up already has none any more
  if (address === undefined) return 'gone';
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address);
  if (mapped) return mapped[1]!;
  if (!isIPv6(address)) return address.slice(0, 64);
  const [head = '', tail] = address.split('%')[0]!.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = tail === undefined ? left : [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right];
  const short = groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${short.join(':')}::/64`;
}
