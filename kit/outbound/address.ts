import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** The one prefix from which global unicast addresses are given out (RFC 4291, 2.4; IANA): all else in IPv6 is special or unassigned. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
/** A public address behind which every Azure machine finds its host: metadata, keys, name service. */
const AZURE_HOST = '168.63.129.16';
/** Interface ids of ISATAP (RFC 5214, 6.1), which carry an IPv4 address: 0000:5efe and 0200:5efe. */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200);

/** Reads an address of a URL or of a name server; an IPv6 address that is an IPv4 one in disguise (`::ffff:a.b.c.d`) is that one. */
function parseAddress(text: string): Address {
  const address = ipaddr.parse(text);
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/**
 * Whether anybody on the internet could be behind an address: no private, local, shared, multicast or reserved one, none that carries another
 * address through a translator or tunnel (NAT64, 6to4, Teredo, ISATAP), and none that a cloud gives a meaning of its own.
 */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6) return address.match(GLOBAL_UNICAST) && !isIsatap(address);
  return address.toString() !== AZURE_HOST;
}

/** Which addresses may be called: public ones, and those of networks that the operator has listed. */
export class AddressGuard {
  private readonly listed: readonly Range[];

  /** @throws when an entry of `allow` is no CIDR */
  constructor(allow: readonly string[]) {
    this.listed = allow.map((cidr) => ipaddr.parseCIDR(cidr));
  }

  /** Whether the operator has listed any network. */
  get hasExceptions(): boolean {
    return this.listed.length > 0;
  }

  isListed(text: string): boolean {
    const address = parseAddress(text);
    return this.listed.some(([network, bits]) => network.kind() === address.kind() && address.match([network, bits] as never));
  }

  isAllowed(text: string): boolean {
    return isPublic(parseAddress(text)) || this.isListed(text);
  }
}
