import { isIP } from 'node:net';

/** The addresses from `first` to `last` of one version of IP. */
export interface Block {
  version: 4 | 6;
  first: bigint;
  last: bigint;
}

const BITS = { 4: 32, 6: 128 } as const;

function addressNumber(address: string, version: 4 | 6): bigint {
  if (version === 4) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  if (dotted) {
    const low = addressNumber(dotted[2]!, 4);
    return addressNumber(`${dotted[1]}${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}`, 6);
  }
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = tail === undefined ? left : [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  return groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

const EVERYWHERE: readonly Block[] = [4, 6].map((version) => blockOf(version as 4 | 6, 0n, 0));

function blockOf(version: 4 | 6, address: bigint, length: number): Block {
  const size = 1n << BigInt(BITS[version] - length);
  const first = (address / size) * size;
  return { version, first, last: first + size - 1n };
}

/**
 * The addresses that a text names: a CIDR, an address, a range `a-b`, or a provider's word for every address.
 * @returns nothing for what is none of these
 */
export function parseBlocks(text: string): readonly Block[] {
  const trimmed = text.trim().toLowerCase();
  if (['*', 'any', 'internet', '/0'].includes(trimmed)) return EVERYWHERE;
  const [start = '', end, more] = trimmed.split('-');
  if (end !== undefined && more === undefined) {
    const version = isIP(start);
    if (version === 0 || isIP(end) !== version) return [];
    const [first, last] = [addressNumber(start, version as 4 | 6), addressNumber(end, version as 4 | 6)];
    return first <= last ? [{ version: version as 4 | 6, first, last }] : [];
  }
  const [address = '', length, rest] = trimmed.split('/');
  const version = isIP(address);
  if (version === 0 || rest !== undefined || address.includes('%')) return [];
  const bits = length === undefined ? BITS[version as 4 | 6] : /^\d{1,3}$/.test(length) ? Number(length) : -1;
  if (bits < 0 || bits > BITS[version as 4 | 6]) return [];
  return [blockOf(version as 4 | 6, addressNumber(address, version as 4 | 6), bits)];
}

export const covers = (outer: Block, inner: Block): boolean =>
  outer.version === inner.version && outer.first <= inner.first && inner.last <= outer.last;

export const overlaps = (a: Block, b: Block): boolean => a.version === b.version && a.first <= b.last && b.first <= a.last;

/** Ranges that the public internet does not route (RFC 6890 and RFC 4193). */
const NOT_ROUTED = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '224.0.0.0/3',
  '::/8',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
].flatMap(parseBlocks);

/** Whether the public internet routes some of the addresses. */
export const isRouted = (block: Block): boolean => !NOT_ROUTED.some((range) => covers(range, block));

/** Whether a block is so wide that it is as good as everyone: /8 of IPv4, /16 of IPv6. */
export const isWide = (block: Block): boolean =>
  isRouted(block) && block.last - block.first + 1n >= 1n << BigInt(block.version === 4 ? 24 : 112);

/** What is left of a block without another. */
export function minus(block: Block, other: Block): Block[] {
  if (!overlaps(block, other)) return [block];
  const { version } = block;
  const before = block.first < other.first ? [{ version, first: block.first, last: other.first - 1n }] : [];
  const behind = other.last < block.last ? [{ version, first: other.last + 1n, last: block.last }] : [];
  return [...before, ...behind];
}
