/** What many years say of the loss of one. */
export interface LossStatistics {
  /** Probability of any loss within a year. */
  readonly any_loss: number;
  readonly mean: number;
  /** How far the mean may be off, by the number of draws alone: its standard error. */
  readonly standard_error: number;
  readonly median: number;
  /** Nine of ten years lie between these. */
  readonly low: number;
  readonly high: number;
  /** What is lost at least with a probability. */
  readonly exceedance: readonly { readonly probability: number; readonly loss: number }[];
}

const PROBABILITIES = [0.9, 0.75, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001];

/** The statistics of simulated years. */
export function statisticsOf(losses: Float64Array): LossStatistics {
  const sorted = losses.slice().sort();
  const n = sorted.length;
  const quantile = (share: number): number => (n === 0 ? 0 : sorted[Math.min(n - 1, Math.floor(share * n))]!);
  const mean = n === 0 ? 0 : sorted.reduce((sum, loss) => sum + loss, 0) / n;
  const variance = n < 2 ? 0 : sorted.reduce((sum, loss) => sum + (loss - mean) ** 2, 0) / (n - 1);
  return {
    any_loss: n === 0 ? 0 : sorted.filter((loss) => loss > 0).length / n,
    mean,
    standard_error: n === 0 ? 0 : Math.sqrt(variance / n),
    median: quantile(0.5),
    low: quantile(0.05),
    high: quantile(0.95),
    exceedance: PROBABILITIES.map((probability) => ({ probability, loss: quantile(1 - probability) })),
  };
}
