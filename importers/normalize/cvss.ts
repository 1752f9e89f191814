import { baseScoreOf } from './cvss-vector.js';

/** One CVSS rating of a vulnerability. */
export interface CvssRating {
  score: number;
  vector?: string | undefined;
  /** `2.0`, `3.1`, `4.0`; derived from the vector when absent. */
  version?: string | undefined;
  /** Who rated: `nvd`, a vendor. */
  source?: string | undefined;
}

/** The rating that a tool tells by a score, a vector or both; undefined where neither says how bad it is. */
export function toRating(
  score: number | undefined,
  vector: string | undefined,
  { version, source }: { version?: string | undefined; source?: string | undefined } = {},
): CvssRating | undefined {
  const base = score ?? (vector === undefined ? undefined : baseScoreOf(vector));
  return base === undefined ? undefined : { score: base, vector, version, source };
}

/**
 * The rating to judge by: CVSS v3 or v4 before v2, then NVD before vendors, then v3.1 before v4.0 (which few have yet) and
 * v3.0. Undefined when there is none with a base score in 0–10.
 */
export function bestCvss(ratings: readonly CvssRating[]): CvssRating | undefined {
  let best: CvssRating | undefined;
  let bestRank = -1;
  for (const rating of ratings) {
    if (!(rating.score >= 0 && rating.score <= 10)) continue;
    const rank = rankOf(rating);
    if (rank > bestRank) {
      best = rating;
      bestRank = rank;
    }
  }
  return best;
}

function rankOf(rating: CvssRating): number {
  const version = rating.version ?? /^CVSS:(\d\.\d)/.exec(rating.vector ?? '')?.[1] ?? '2.0';
  const isModern = version.startsWith('3') || version.startsWith('4');
  const byNvd = /nvd|nist/i.test(rating.source ?? '');
  return (isModern ? 10 : 0) + (byNvd ? 5 : 0) + (version === '3.1' ? 2 : version.startsWith('4') ? 1 : 0);
}
