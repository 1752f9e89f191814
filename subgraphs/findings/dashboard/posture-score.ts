import { SEVERITIES, type Severity } from '../../../schema/model.js';

/** What one open finding weighs, in tenths of a resource. */
export const SCORE_WEIGHTS: Readonly<Record<Severity, number>> = { critical: 10, high: 5, medium: 2, low: 0.5, info: 0 };
const PER_RESOURCE = 10;

/**
 * The posture score (docs/posture-score.md): a whole number from 0 to 100, the share of resources in resources and the weight of open findings
 * together. Another finding never raises it, nor does a worse severity; another resource without findings never lowers it; only an estate with
 * nothing that weighs has 100, and one without resources has 0.
 * @param open open findings by severity
 * @param resources resources of the inventory
 */
export function postureScore(open: Readonly<Record<Severity, number>>, resources: number): number {
  if (resources <= 0) return 0;
  const weight = SEVERITIES.reduce((sum, severity) => sum + SCORE_WEIGHTS[severity] * open[severity], 0);
  return Math.floor((100 * PER_RESOURCE * resources) / (PER_RESOURCE * resources + weight));
}
