import { createRequire } from 'node:module';
import type * as Calculator from 'ae-cvss-calculator';

// The package is CommonJS that says it was an ES module: Node and bundlers disagree about its default export, and require has none.
const { fromVector } = createRequire(import.meta.url)('ae-cvss-calculator') as typeof Calculator;

const MEMO_SIZE = 4096;
const known = new Map<string, number | null>();

/** The base score 0–10 of a CVSS vector of version 2.0, 3.0, 3.1 or 4.0; undefined for what is no whole vector. */
export function baseScoreOf(vector: string): number | undefined {
  const hit = known.get(vector);
  if (hit !== undefined) return hit ?? undefined;
  const score = calculate(vector);
  if (known.size >= MEMO_SIZE) known.clear();
  if (vector.length <= 500) known.set(vector, score);
  return score ?? undefined;
}

function calculate(vector: string): number | null {
  if (vector.length > 500) return null;
  try {
    const cvss = fromVector(vector.trim());
    if (cvss === null || !cvss.isBaseFullyDefined()) return null;
    const scores = cvss.calculateScores();
    const score = 'baseMetricsOnly' in scores ? scores.baseMetricsOnly : scores.base;
    return typeof score === 'number' && Number.isFinite(score) ? score : null;
  } catch {
    return null;
  }
}
