import type { Stream } from './draws.js';

/** The least, the likeliest and the most of something. */
export type Range = readonly [low: number, likely: number, high: number];

/** What one loss of a jewel costs, in the tenant's currency. */
export interface LossModel {
  readonly response: Range;
  /** Hours without it, and what one costs. */
  readonly hours: Range;
  readonly value_per_hour: number;
  /** What all its records cost on average, and by which factor that is off. */
  readonly records: number;
  readonly record_share: Range;
  /** What is lost in any case: its value, and fines. */
  readonly fixed: number;
  /** Deviation of the logarithm of a factor with mean 1 by which the whole is off. */
  readonly tail: number;
}

/** What one loss costs, drawn. */
export function drawLoss(stream: Stream, { response, hours, value_per_hour, records, record_share, fixed, tail }: LossModel): number {
  const sum = stream.pert(...response) + value_per_hour * stream.pert(...hours) + records * stream.pert(...record_share) + fixed;
  return sum * Math.exp(tail * stream.normal() - (tail * tail) / 2);
}

const meanOf = ([low, likely, high]: Range): number => (high > low ? (low + 4 * likely + high) / 6 : low);

/** What one loss costs on average. */
export const meanLoss = ({ response, hours, value_per_hour, records, record_share, fixed }: LossModel): number =>
  meanOf(response) + value_per_hour * meanOf(hours) + records * meanOf(record_share) + fixed;

/** What so many records cost on average, where one of a small breach costs so much: the more, the less each. */
export function recordCost(records: number, each: number, scale: readonly { records: number; share: number }[]): number {
  const [first, last] = [scale[0]!, scale.at(-1)!];
  if (records <= first.records) return records * each * first.share;
  if (records >= last.records) return records * each * last.share;
  const above = scale.findIndex((point) => point.records >= records);
  const [low, high] = [scale[above - 1]!, scale[above]!];
  const at = Math.log(records / low.records) / Math.log(high.records / low.records);
  return records * each * low.share * (high.share / low.share) ** at;
}
