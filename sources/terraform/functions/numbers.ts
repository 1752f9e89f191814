import ipaddr from 'ipaddr.js';
import { MAX_ELEMENTS, type Value } from '../value.js';
import type { FunctionTable, TerraformFunction } from './kinds.js';

const onNumbers =
  (change: (...numbers: number[]) => number): TerraformFunction =>
  (args) => {
    const numbers = args.map((arg) => (typeof arg === 'string' && arg.trim() !== '' ? Number(arg) : arg));
    const made = numbers.length > 0 && numbers.every((arg) => typeof arg === 'number') ? change(...numbers) : Number.NaN;
    return Number.isFinite(made) ? made : undefined;
  };

interface Network {
  bits: bigint;
  prefix: number;
  /** Bits of an address of its family. */
  size: number;
}

function networkOf(text: Value | undefined): Network | undefined {
  if (typeof text !== 'string' || !ipaddr.isValidCIDR(text)) return undefined;
  const [address, prefix] = ipaddr.parseCIDR(text);
  const bytes = address.toByteArray();
  return { bits: bytes.reduce((made, byte) => (made << 8n) | BigInt(byte), 0n), prefix, size: bytes.length * 8 };
}

function addressOf(bits: bigint, size: number): string {
  const bytes = Array.from({ length: size / 8 }, (_, n) => Number((bits >> BigInt(size - 8 * (n + 1))) & 0xffn));
  return ipaddr.fromByteArray(bytes).toString();
}

function subnet(network: Network, newBits: number, number: number): string | undefined {
  const prefix = network.prefix + newBits;
  if (prefix > network.size || newBits < 0 || number < 0 || BigInt(number) >= 1n << BigInt(newBits)) return undefined;
  const base = (network.bits >> BigInt(network.size - network.prefix)) << BigInt(network.size - network.prefix);
  return `${addressOf(base | (BigInt(number) << BigInt(network.size - prefix)), network.size)}/${prefix}`;
}

const cidrsubnet: TerraformFunction = ([text, newBits, number]) => {
  const network = networkOf(text);
  if (network === undefined || !Number.isInteger(newBits) || !Number.isInteger(number)) return undefined;
  return subnet(network, newBits as number, number as number);
};

/** Subnets of these sizes, one behind the other. */
const cidrsubnets: TerraformFunction = ([text, ...sizes]) => {
  const network = networkOf(text);
  if (network === undefined || !sizes.every((size) => Number.isInteger(size)) || sizes.length > MAX_ELEMENTS) return undefined;
  const base = (network.bits >> BigInt(network.size - network.prefix)) << BigInt(network.size - network.prefix);
  let at = base;
  const made: string[] = [];
  for (const size of sizes as number[]) {
    const prefix = network.prefix + size;
    if (prefix > network.size || size < 0) return undefined;
    const step = 1n << BigInt(network.size - prefix);
    at = ((at + step - 1n) / step) * step;
    made.push(`${addressOf(at, network.size)}/${prefix}`);
    at += step;
  }
  return made;
};

const cidrhost: TerraformFunction = ([text, number]) => {
  const network = networkOf(text);
  if (network === undefined || !Number.isInteger(number)) return undefined;
  const hosts = BigInt(network.size - network.prefix);
  const base = (network.bits >> hosts) << hosts;
  const at = (number as number) < 0 ? (1n << hosts) + BigInt(number as number) : BigInt(number as number);
  return at < 0n || at >= 1n << hosts ? undefined : addressOf(base | at, network.size);
};

const cidrnetmask: TerraformFunction = ([text]) => {
  const network = networkOf(text);
  if (network?.size !== 32) return undefined;
  return addressOf((0xffffffffn << BigInt(32 - network.prefix)) & 0xffffffffn, 32);
};

const sum = onNumbers((...all) => all.reduce((left, right) => left + right));

export const numbers: FunctionTable = {
  shallow: {},
  whole: {
    abs: onNumbers(Math.abs),
    ceil: onNumbers(Math.ceil),
    floor: onNumbers(Math.floor),
    max: onNumbers(Math.max),
    min: onNumbers(Math.min),
    pow: onNumbers(Math.pow),
    log: onNumbers((value, base = Math.E) => Math.log(value) / Math.log(base)),
    signum: onNumbers(Math.sign),
    sum: ([list]) => (Array.isArray(list) ? sum(list) : undefined),
    parseint: ([text, base]) => {
      const made = typeof text === 'string' && typeof base === 'number' ? Number.parseInt(text, base) : Number.NaN;
      return Number.isFinite(made) ? made : undefined;
    },
    cidrsubnet,
    cidrsubnets,
    cidrhost,
    cidrnetmask,
  },
};
