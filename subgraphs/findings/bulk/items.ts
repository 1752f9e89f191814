import type { FindingStatus } from '../../../schema/model.js';
import type { PalisadeError } from '../../../kit/base/errors.js';
import type { FindingFacts } from '../../../kit/engine/finding-facts.js';
import type { Triaged } from '../../../kit/findings/triage/write.js';

/** What came of one finding, as the graph gives it. */
export interface BulkItem {
  engine: string | null;
  finding_id: string;
  outcome: 'changed' | 'unchanged' | 'refused';
  status: FindingStatus | null;
  error_code: string | null;
  message: string | null;
}

export const refusal = (engine: string | null, finding_id: string, { code, message }: PalisadeError): BulkItem => ({
  ...{ engine, finding_id, outcome: 'refused', status: null, error_code: code, message },
});

export function itemOf({ viewSegment: engine }: FindingFacts, one: Triaged): BulkItem {
  if (one.error) return refusal(engine, one.id, one.error);
  const status = one.change.status ?? one.before.status;
  return { engine, finding_id: one.id, outcome: one.isTold ? 'changed' : 'unchanged', status, error_code: null, message: null };
}

/** How many of each outcome there are. */
export const countOutcomes = (items: readonly BulkItem[]) => ({
  changed: items.filter(({ outcome }) => outcome === 'changed').length,
  unchanged: items.filter(({ outcome }) => outcome === 'unchanged').length,
  refused: items.filter(({ outcome }) => outcome === 'refused').length,
});
