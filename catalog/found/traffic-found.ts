import { isAnyCidr } from '../cel/cidr.js';
import { trafficRules } from '../cel/firewall/readers.js';
import { LAST_PORT, type TrafficRule } from '../cel/firewall/traffic-rule.js';
import type { Subject } from '../cel/asset-value.js';
import type { Rule } from '../types.js';
import { keepingOnly } from './occurrences.js';
import { failsWith, type Failure } from './retrial.js';
import { listed } from './words.js';

/** Whether a rule is about what a firewall admits. */
export const isAboutTraffic = ({ expression }: Pick<Rule, 'expression'>): boolean =>
  /\b(?:open_to_internet|ingress|egress)\(asset\b/.test(expression);

/** Elements that are tried one by one. */
const MOST_TRIED = 100;

/** Which rules of a firewall are at fault, with protocol, ports and addresses; undefined where none is by itself. */
export function trafficFound(failure: Failure, subject: Subject): string | undefined {
  const { configuration, resource_type } = subject;
  const isAbout = aboutOf(failure.rule);
  const said: string[] = [];
  let tried = 0;
  for (const [name, value] of Object.entries(configuration)) {
    if (!Array.isArray(value) || !value.some((item) => typeof item === 'object')) continue;
    for (const i of value.keys()) {
      if (++tried > MOST_TRIED) break;
      const narrowed = keepingOnly(withoutOthers(configuration, name), [name, i]) as Subject['configuration'];
      if (!failsWith(failure, subject, narrowed)) continue;
      for (const traffic of trafficRules(resource_type, narrowed).filter(isAbout)) said.push(`\`${name}[${i}]\` ${inWords(traffic)}`);
    }
  }
  if (said.length > 0) return listed([...new Set(said)], '; ');
  // a resource that is one rule
  const whole = trafficRules(resource_type, { ...configuration }).filter(isAbout);
  return whole.length === 0 ? undefined : `it ${listed([...new Set(whole.map(inWords))], '; it ')}`;
}

/** Rules that stand in other lists are left out, so that those of one list are tried. */
const withoutOthers = (configuration: Subject['configuration'], name: string): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(configuration).filter(
      ([key, value]) => key === name || !Array.isArray(value) || !value.some((item) => typeof item === 'object'),
    ),
  );

/** Which traffic rules a rule of the catalog is about. */
function aboutOf({ expression, variables = {} }: Rule): (traffic: TrafficRule) => boolean {
  const isOfEgress = /\begress\(asset\b/.test(expression);
  const isOfIngress = /\b(?:ingress|open_to_internet)\(asset\b/.test(expression);
  const port = Number(variables['port']);
  const { protocol } = variables;
  return (traffic) =>
    (traffic.direction === 'egress' ? isOfEgress : isOfIngress) &&
    traffic.action === 'allow' &&
    (Number.isNaN(port) || ((traffic.from ?? 0) <= port && port <= (traffic.to ?? LAST_PORT))) &&
    (protocol === undefined || traffic.protocol === 'any' || traffic.protocol === protocol);
}

/** `admits tcp port 22 from 0.0.0.0/0`. */
function inWords({ direction, protocol, from, to, sources }: TrafficRule): string {
  const open = sources.filter((source) => source !== undefined && isAnyCidr(source));
  const named = (open.length > 0 ? open : sources).map((source) => source ?? 'an address that is not known');
  const [verb, side] = direction === 'ingress' ? ['admits', 'from'] : ['lets out', 'to'];
  const what = protocol === 'any' ? 'every protocol' : (protocol ?? 'a protocol that is not known');
  const ports = protocol === 'icmp' ? '' : ` ${portsInWords(from, to)}`;
  return `${verb} ${what}${ports}${named.length === 0 ? '' : ` ${side} ${listed(named)}`}`;
}

function portsInWords(from: number | undefined, to: number | undefined): string {
  if (from === undefined || to === undefined) return 'on ports that are not known';
  if (from <= 1 && to >= LAST_PORT) return 'on every port';
  return from === to ? `port ${from}` : `ports ${from}-${to}`;
}
