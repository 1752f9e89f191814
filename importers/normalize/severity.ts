import type { Severity } from '../../schema/model.js';

const WORDS: Readonly<Record<string, Severity>> = {
  critical: 'critical',
  fatal: 'critical',
  high: 'high',
  important: 'high',
  error: 'high',
  medium: 'medium',
  moderate: 'medium',
  warning: 'medium',
  low: 'low',
  minor: 'low',
  note: 'low',
  info: 'info',
  informational: 'info',
  negligible: 'info',
  none: 'info',
};

/** The severity that a scanner's word stands for, in any case; undefined for `Unknown` and words of no rank. */
export function toSeverity(word: string | undefined): Severity | undefined {
  const key = word?.trim().toLowerCase();
  return key !== undefined && Object.hasOwn(WORDS, key) ? WORDS[key] : undefined;
}

/** The band of a CVSS base score 0–10 (CVSS v3.1 section 5, v4.0 section 6): `info` is its "None". */
export function severityOfScore(score: number): Severity {
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  if (score >= 4) return 'medium';
  return score > 0 ? 'low' : 'info';
}
