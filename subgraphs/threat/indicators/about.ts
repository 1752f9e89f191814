import type { Severity } from '../../../schema/model.js';
import type { IndicatorRow } from './records.js';

/** The engine that holds the findings. */
export const ENGINE = 'threat';
/** Names that are told of a list. */
export const MOST_NAMED = 50;

/** How bad it is, by the scale of STIX 2.1 (appendix A): 70 and more is high, below 30 low. What a feed does not say is taken for medium. */
export const severityOf = ({ confidence }: IndicatorRow): Severity =>
  confidence === null ? 'medium' : confidence >= 70 ? 'high' : confidence >= 30 ? 'medium' : 'low';

/**
 * What evidence tells of the indicators that something was found by.
 * @param valid the surest first
 * @param surest that of the valid ones, or of those that are valid no more
 */
export const indicatorEvidence = (valid: readonly IndicatorRow[], surest: IndicatorRow) => ({
  confidence: surest.confidence === null ? null : String(surest.confidence),
  matched: surest.value,
  indicator_ids: valid.map(({ indicator_id }) => indicator_id),
  indicator_names: [...new Set(valid.flatMap(({ name }) => name ?? []))],
  labels: [...new Set(valid.flatMap(({ labels }) => labels))].slice(0, MOST_NAMED),
  valid_from: surest.valid_from?.toISOString() ?? null,
  valid_until: surest.valid_until?.toISOString() ?? null,
});
