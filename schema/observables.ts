import ipaddr from 'ipaddr.js';

/** What an indicator names and events show. */
export const OBSERVABLE_KINDS = ['address', 'network', 'domain', 'url', 'file_hash'] as const;
export type ObservableKind = (typeof OBSERVABLE_KINDS)[number];

/** One thing by which an adversary is known, in the one spelling by which it is compared. */
export interface Observable {
  readonly kind: ObservableKind;
  readonly value: string;
}

/** Characters of a URL that is compared. */
export const LONGEST_URL = 2_048;
/** Lengths of networks that are compared: each address is looked for under all of them. */
const LENGTHS = {
  ipv4: Array.from({ length: 24 }, (_, n) => n + 8),
  ipv6: Array.from({ length: 26 }, (_, n) => n * 4 + 20),
} as const;
const WHOLE = { ipv4: 32, ipv6: 128 } as const;
/** Digits of MD5, SHA-1, SHA-256 and SHA-512. */
const HASH = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i;
const DOMAIN = /^(?=.{3,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/** An address, or one mapped from IPv4 as that; null for other text. */
function parsed(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return null;
  return ipaddr.process(text);
}

/** An address (RFC 5952), or a network, of which the host's part is left out. @throws an Error that says what is wrong with it */
export function addressObservable(text: string): Observable {
  const [host = '', prefix, ...more] = text.trim().split('/');
  const address = parsed(host);
  if (address === null || more.length > 0) throw new Error(`"${text.slice(0, 100)}" is no address`);
  const family = address.kind();
  if (prefix === undefined || Number(prefix) === WHOLE[family]) return { kind: 'address', value: address.toString() };
  const length = Number(prefix);
  if (!/^\d{1,3}$/.test(prefix) || !(LENGTHS[family] as readonly number[]).includes(length))
    throw new Error(`"${text.slice(0, 100)}": networks are compared from /8 in IPv4, and by steps of four from /20 in IPv6`);
  return { kind: 'network', value: networkOf(address, length) };
}

function networkOf(address: ipaddr.IPv4 | ipaddr.IPv6, length: number): string {
  const text = `${address.toString()}/${length}`;
  const network = address.kind() === 'ipv4' ? ipaddr.IPv4.networkAddressFromCIDR(text) : ipaddr.IPv6.networkAddressFromCIDR(text);
  return `${network.toString()}/${length}`;
}

/** The networks that an address lies in, as far as networks are compared. */
export function networksOf(address: string): Observable[] {
  const own = parsed(address);
  return own === null ? [] : LENGTHS[own.kind()].map((length) => ({ kind: 'network', value: networkOf(own, length) }));
}

/** @throws an Error that says what is wrong with it */
export function domainObservable(text: string): Observable {
  const value = text.trim().toLowerCase().replace(/\.$/, '');
  if (!DOMAIN.test(value)) throw new Error(`"${text.slice(0, 100)}" is no domain name`);
  return { kind: 'domain', value };
}

/** A URL as browsers spell it, without what stands behind `#`. @throws an Error that says what is wrong with it */
export function urlObservable(text: string): Observable {
  if (text.length > LONGEST_URL || !URL.canParse(text)) throw new Error(`"${text.slice(0, 100)}" is no URL`);
  const url = new URL(text);
  url.hash = '';
  return { kind: 'url', value: url.href };
}

/** MD5, SHA-1, SHA-256 or SHA-512 in hex. @throws an Error that says what is wrong with it */
export function hashObservable(text: string): Observable {
  const value = text.trim().toLowerCase();
  if (!HASH.test(value)) throw new Error(`"${text.slice(0, 100)}" is no MD5, SHA-1, SHA-256 or SHA-512 in hex`);
  return { kind: 'file_hash', value };
}

/** Values of a record, as JSON, that are nothing but a URL or a digest in hex; names of members are none. */
const VALUES = /"(?:(https?:\/\/[^"\\\s]{4,2000})|([0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}))"(?!\s*:)/gi;
/** What providers name in every other event: their own interfaces, and names of formats. */
const OF_PROVIDERS = new Set([
  ...['management.azure.com', 'management.core.windows.net', 'sts.windows.net', 'graph.microsoft.com', 'graph.windows.net'],
  ...['login.microsoftonline.com', 'login.windows.net', 'schemas.microsoft.com', 'schemas.xmlsoap.org'],
  ...['www.googleapis.com', 'compute.googleapis.com', 'container.googleapis.com', 'accounts.google.com'],
  ...['console.aws.amazon.com', 'signin.aws.amazon.com', 'kubernetes.default.svc'],
]);
/** Values of one event that are looked at. */
const MOST_VALUES = 20;

/** Ranges that say nothing of who it is: everybody has them. */
const OWN_RANGES: readonly string[] = [
  'private',
  'loopback',
  'linkLocal',
  'uniqueLocal',
  'carrierGradeNat',
  'unspecified',
  'multicast',
  'broadcast',
];

/** A public address that something came from, or went to. */
export function sourceOf(address: string | undefined): Observable[] {
  const own = address === undefined ? null : parsed(address);
  return own === null || OWN_RANGES.includes(own.range()) ? [] : [{ kind: 'address', value: own.toString() }];
}

/**
 * What indicators may name of an event: the public address that it came from, and of its record URLs, their hosts, and digests.
 * @param record as JSON
 */
export function observablesOf(source: string | undefined, record: string): Observable[] {
  const found = sourceOf(source);
  let left = MOST_VALUES;
  for (const [, url, digest] of record.matchAll(VALUES)) {
    if (left-- === 0) break;
    if (digest !== undefined) found.push(hashObservable(digest));
    else if (url !== undefined && URL.canParse(url)) found.push(...ofUrl(url));
  }
  return [...new Map(found.map((one) => [`${one.kind}|${one.value}`, one])).values()];
}

/** A URL, and its host as a domain or a public address. */
export function ofUrl(text: string): Observable[] {
  const host = new URL(text).hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (OF_PROVIDERS.has(host)) return [];
  const url = urlObservable(text);
  if (parsed(host) !== null) return [url, ...sourceOf(host)];
  return DOMAIN.test(host) ? [url, { kind: 'domain', value: host }] : [url];
}
