import { isAnyCidr } from '../cidr.js';
import { LAST_PORT, type TrafficRule } from './traffic-rule.js';

/** True, false, or undefined where a reference leaves it open. */
type Maybe = boolean | undefined;

const both = (...parts: Maybe[]): Maybe => (parts.includes(false) ? false : parts.includes(undefined) ? undefined : true);

const admitsProtocol = (rule: TrafficRule, protocol: string): Maybe =>
  rule.protocol === undefined ? undefined : rule.protocol === 'any' || (protocol !== 'any' && rule.protocol === protocol);

function admitsPort(rule: TrafficRule, port: number, everyPort: boolean): Maybe {
  if (rule.from === undefined || rule.to === undefined) return undefined;
  return everyPort ? rule.from <= 1 && rule.to >= LAST_PORT : rule.from <= port && port <= rule.to;
}

/** Addresses of one version of IP: whether a source of every address, `*` included, is about those. */
const VERSIONS = [(source: string): boolean => !source.includes(':'), (source: string): boolean => !source.includes('.')];

function fromAnywhere({ sources }: TrafficRule, isOfVersion: (source: string) => boolean): Maybe {
  if (sources.some((source) => source !== undefined && isAnyCidr(source) && isOfVersion(source))) return true;
  return sources.includes(undefined) ? undefined : false;
}

/**
 * Whether traffic from any address, of IPv4 or IPv6, reaches a port.
 * @param protocol `tcp`, `udp`, or `any` for every protocol and every port
 * @returns undefined when a reference that is not resolved decides it
 */
export function openToInternet(rules: readonly TrafficRule[], protocol: string, port: number): Maybe {
  const answers = VERSIONS.map((isOfVersion) => openTo(rules, protocol, port, isOfVersion));
  return answers.includes(true) ? true : answers.includes(undefined) ? undefined : false;
}

function openTo(rules: readonly TrafficRule[], protocol: string, port: number, isOfVersion: (source: string) => boolean): Maybe {
  let answer: Maybe = false;
  let perhapsDenied = false;
  for (const rule of rules) {
    // a deny without a place in the order stands beside others that are not seen here
    if (rule.direction !== 'ingress' || (rule.action === 'deny' && rule.priority === undefined)) continue;
    const matches = both(
      !rule.unsure || undefined,
      admitsProtocol(rule, protocol),
      admitsPort(rule, port, protocol === 'any'),
      fromAnywhere(rule, isOfVersion),
    );
    if (matches === false) continue;
    // what is asked first decides: a deny for everyone ends it
    if (rule.action === 'deny') {
      if (matches === true) return answer;
      perhapsDenied = true;
    } else {
      if (matches === true && !perhapsDenied) return true;
      answer = undefined;
    }
  }
  return answer;
}
