import { isIP } from 'node:net';

const ANY = new Set(['*', 'any', 'internet', '0.0.0.0/0', '::/0', '0.0.0.0', '::', '/0']);
const PRIVATE_V4 = [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
] as const;

/** Whether a text means every address: `0.0.0.0/0`, `::/0`, `*`, `any`, `Internet`. */
export function isAnyCidr(cidr: string): boolean {
  const text = cidr.trim().toLowerCase();
  return ANY.has(text) || /^[\d.]+\/0$|^[\da-f:]+\/0$/.test(text);
}

/** Whether a text means every address or a large range of public ones: /8 or wider in IPv4, /16 or wider in IPv6. */
export function isPublicCidr(cidr: string): boolean {
  if (isAnyCidr(cidr)) return true;
  const [address = '', bits] = cidr.trim().split('/');
  const family = isIP(address);
  if (family === 0 || bits === undefined) return false;
  if (family === 6) return Number(bits) <= 16 && !/^f[cde]/i.test(address);
  return Number(bits) <= 8 && !PRIVATE_V4.some(([network, length]) => Number(bits) >= length && sameNetwork(address, network, length));
}

function sameNetwork(a: string, b: string, length: number): boolean {
  const number = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - length);
  return Math.floor(number(a) / size) === Math.floor(number(b) / size);
}
