import { int, text, type Plain } from '../read.js';

/** One rule of something like a firewall. What the configuration leaves open (an unresolved reference) is undefined. */
export interface TrafficRule {
  direction: 'ingress' | 'egress';
  action: 'allow' | 'deny';
  /** `tcp`, `udp`, `icmp` ..., or `any`. */
  protocol: string | undefined;
  from: number | undefined;
  to: number | undefined;
  /** CIDRs and the providers' names of address ranges; empty where another group or tag is meant. */
  sources: (string | undefined)[];
  description?: string | undefined;
  /** Lower is asked first; undefined where the order does not matter. */
  priority?: number | undefined;
  /** Whether a reference decides its direction or action. */
  unsure?: boolean;
}

/** The highest port there is. */
export const LAST_PORT = 65_535;
const PROTOCOLS: Readonly<Record<string, string>> = {
  '-1': 'any',
  all: 'any',
  '*': 'any',
  any: 'any',
  '1': 'icmp',
  '6': 'tcp',
  '17': 'udp',
};

/** First and last port of a range. */
export type Ports = Pick<TrafficRule, 'from' | 'to'>;
export const ALL_PORTS: Ports = { from: 0, to: LAST_PORT };

/** A protocol by its name: providers also write numbers and signs. */
export const protocolOf = (value: unknown): string | undefined => {
  const name = text(value)?.toLowerCase();
  return name === undefined ? undefined : (PROTOCOLS[name] ?? name);
};
/** Whether any of the values is there and not resolved. */
export const isUnsure = (...values: unknown[]): boolean => values.some((value) => typeof value === 'string' && text(value) === undefined);
/** What a rule does; what is no word for refusing admits. */
export const actionOf = (value: unknown): 'allow' | 'deny' => (/^(?:deny|drop|block|reject)$/i.test(text(value) ?? '') ? 'deny' : 'allow');

/** Ports of one text: `22`, `20-30`, `22/22`, `*`, `-1/-1`. */
export function portRange(value: unknown): Ports {
  const range = text(value);
  if (range === undefined) return { from: undefined, to: undefined };
  if (['*', '-1/-1', '-1', 'any', 'all', ''].includes(range.toLowerCase())) return ALL_PORTS;
  const [first, second = first] = range.split(/[-/:]/);
  return { from: int(first), to: int(second) };
}

/** Ports of two numbers; all of them where the protocol has none or the numbers are not there. */
export function ports(protocol: string | undefined, from: unknown, to: unknown): Ports {
  if (protocol === 'any' || protocol === 'icmp') return ALL_PORTS;
  if (from === undefined && to === undefined) return ALL_PORTS;
  return { from: int(from), to: int(to) ?? (to === undefined ? int(from) : undefined) };
}

/** Reads the rules of one resource type's configuration. */
export type Reader = (r: Plain) => TrafficRule[];

/** Readers by resource type. */
export type Readers = Readonly<Record<string, Reader>>;
