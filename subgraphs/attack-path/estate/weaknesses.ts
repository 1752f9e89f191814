import type { Condition, Hold } from '../../../kit/graph/types.js';
import { listenersOf, valueOf, type Figure } from '../model/model.js';
import type { Estate } from './estate.js';
import { vulnerable } from './conditions.js';
import { opens, type Front } from './fronts.js';
import type { VulnerabilityFinding } from './types.js';

/** What somebody can make of a workload that he reaches. */
export interface Weakness {
  readonly hold: Extract<Hold, 'code' | 'forged_requests'>;
  readonly probability: number;
  readonly condition: Condition;
}

/** A server-side request forgery gives requests, and no code. */
const FORGERY = 'CWE-918';
/** Without a vector the base score tells: what only takes a service down has 7.5 at most, or 8.6. */
const LEAST_SCORE = 9;

/** What a hole gives to who reaches it without an account and without anybody's help; null for what it does not give. */
export function givenBy({ vector, cvss, cwes }: Pick<VulnerabilityFinding, 'vector' | 'cvss' | 'cwes'>): Weakness['hold'] | null {
  const isForgery = cwes.includes(FORGERY);
  if (vector === null || !/AV:/.test(vector)) return (cvss ?? 0) >= LEAST_SCORE ? (isForgery ? 'forged_requests' : 'code') : null;
  const has = (metric: string, ...values: string[]) => values.some((value) => `/${vector}/`.includes(`/${metric}:${value}/`));
  const byAnybody = has('AV', 'N') && (has('PR', 'N') || has('Au', 'N')) && (has('UI', 'N') || !/UI:/.test(vector));
  if (!byAnybody) return null;
  if (isForgery) return has('C', 'H', 'L', 'P', 'C') || has('VC', 'H', 'L') ? 'forged_requests' : null;
  // what changes nothing runs no code
  return has('I', 'H', 'C', 'P') || has('VI', 'H') ? 'code' : null;
}

/** The probability that one attempt by a hole succeeds, if it is what listens. */
export const exploitOf = (
  { known_exploited, epss }: Pick<VulnerabilityFinding, 'known_exploited' | 'epss'>,
  figure: (name: Figure) => number = valueOf,
): number =>
  Math.min(
    figure('most_vulnerability'),
    Math.max(epss ?? 0, known_exploited === true ? figure('known_exploited') : figure('least_vulnerability')),
  );

/** What workloads are weak by, as the vulnerabilities of their images and of themselves tell. */
export class Weaknesses {
  private readonly listeners = listenersOf();

  constructor(private readonly estate: Estate) {}

  /** The likeliest weakness of each kind for who comes by one of these fronts; by any port where there are none. */
  of(uid: string, fronts: readonly Front[] | null): Weakness[] {
    const best = new Map<Weakness['hold'], Weakness>();
    for (const place of [...this.estate.withTemplates(uid), ...this.estate.imagesOf(uid)])
      for (const finding of this.estate.vulnerabilities.get(place) ?? []) {
        const weakness = this.by(finding, place, fronts);
        if (weakness !== null && weakness.probability > (best.get(weakness.hold)?.probability ?? 0)) best.set(weakness.hold, weakness);
      }
    return [...best.values()];
  }

  private by(finding: VulnerabilityFinding, place: string, fronts: readonly Front[] | null): Weakness | null {
    const hold = givenBy(finding);
    if (hold === null) return null;
    const { rule_id, package_name, known_exploited, epss } = finding;
    const ports = package_name === null ? undefined : this.listeners(package_name);
    const open = ports === undefined ? undefined : bestOf(fronts?.map((front) => opens(front, ports)));
    // it listens where nobody gets to
    if (open === false) return null;
    const figure = (name: Figure) => this.estate.figure(name);
    const probability = exploitOf(finding, figure) * (open === true ? 1 : figure('unknown_listener'));
    const says = [
      known_exploited === true ? 'known to be exploited' : epss === null ? null : `EPSS ${epss.toFixed(2)}`,
      open === true ? null : 'not known to listen there',
    ].filter((one) => one !== null);
    const text = `${rule_id}${package_name === null ? '' : ` in ${package_name}`}${says.length > 0 ? ` (${says.join(', ')})` : ''}`;
    return { hold, probability, condition: vulnerable(finding, text, place) };
  }
}

/** True where one is, undefined where one is not known. */
const bestOf = (answers: readonly (boolean | undefined)[] | undefined): boolean | undefined =>
  answers === undefined || answers.includes(true)
    ? answers === undefined
      ? undefined
      : true
    : answers.includes(undefined)
      ? undefined
      : false;
