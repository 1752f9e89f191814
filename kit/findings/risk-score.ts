import type { RiskContext } from '../engine/risk-context.js';
import { SEVERITIES, type Criticality, type Severity } from '../../schema/model.js';

/** What the score weighs. `epss` is a probability from 0 to 1, `cvss` a base score from 0 to 10. */
export interface RiskFacts {
  readonly severity: Severity;
  readonly cvss?: number | null;
  readonly epss?: number | null;
  readonly known_exploited?: boolean | null;
}

const BASE: Readonly<Record<Severity, number>> = { critical: 75, high: 55, medium: 35, low: 15, info: 5 };
const CRITICALITY: Readonly<Record<Criticality, number>> = { critical: 10, high: 5, medium: 0, low: -10 };
const EXPOSED = 10;
/** Where an exploit-prediction score counts as likely exploited (decision 21). */
const LIKELY_EXPLOITED = 0.5;
const SOMEWHAT_LIKELY = 0.1;

/** What a resource adds to the risk of its findings: 10 where the whole internet reaches it, plus its criticality (-10, 0, 5, 10); 0 where nothing is known. */
export const contextWeight = ({ exposure, criticality }: RiskContext): number =>
  (exposure === 'public' ? EXPOSED : 0) + CRITICALITY[criticality ?? 'medium'];

/**
 * The risk score of a finding, an integer from 0 to 100 (decision 21): the severity's base (75, 55, 35, 15, 5), plus
 * exploitability (15 known exploited, else 10 for EPSS >= 0.5, else 5 for EPSS >= 0.1), plus what its resource adds.
 */
export function riskScore(facts: RiskFacts, context?: RiskContext): number {
  const epss = facts.epss ?? 0;
  const exploitability = facts.known_exploited ? 15 : epss >= LIKELY_EXPLOITED ? 10 : epss >= SOMEWHAT_LIKELY ? 5 : 0;
  const score = BASE[facts.severity] + exploitability + (context ? contextWeight(context) : 0);
  return Math.max(0, Math.min(100, score));
}

/** The qualitative band of a CVSS base score (CVSS v3.1, section 5). */
export function cvssBand(score: number): Severity {
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  if (score >= 4) return 'medium';
  return score > 0 ? 'low' : 'info';
}

/**
 * The severity of a vulnerability (decision 21): the band of its CVSS base score, or what the scanner says where there
 * is none; one step up when it is known to be exploited or EPSS is 0.5 or more, never above critical.
 */
export function vulnerabilitySeverity(facts: RiskFacts): Severity {
  const band = facts.cvss == null ? facts.severity : cvssBand(facts.cvss);
  const likely = facts.known_exploited || (facts.epss ?? 0) >= LIKELY_EXPLOITED;
  return likely ? SEVERITIES[Math.max(0, SEVERITIES.indexOf(band) - 1)]! : band;
}

/** Rank for sorting: critical 5 ... info 1. */
export const severityRank = (severity: Severity): number => SEVERITIES.length - SEVERITIES.indexOf(severity);

/** The severity of a rank. */
export const severityOfRank = (rank: number): Severity => SEVERITIES[SEVERITIES.length - rank]!;
