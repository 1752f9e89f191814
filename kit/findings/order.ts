import { badRequest } from '../base/errors.js';
import { reversed } from '../store/far-page.js';
import type { Sort } from '../store/query.js';
import type { FindingRow } from './row.js';

/** The sorts of every finding list, descending: each is total, so that no row is seen twice or skipped. */
export const FINDING_SORTS: Readonly<Record<string, Sort>> = {
  severity: { severity_rank: -1, last_seen_at: -1, finding_id: 1 },
  risk_score: { risk_score: -1, finding_id: 1 },
  last_seen_at: { last_seen_at: -1, finding_id: 1 },
  first_seen_at: { first_seen_at: -1, finding_id: 1 },
  due_at: { due_rank: -1, finding_id: 1 },
};
export const DEFAULT_SORT = FINDING_SORTS['severity']!;
const SORT_NAMES = Object.keys(FINDING_SORTS);

/** The argument `sort` in the graph's language. */
export const SORT_ARGUMENT = `
    "${SORT_NAMES.slice(0, -1).join(', ')} or ${SORT_NAMES.at(-1)}, with - in front for descending; without it worst severity first, then newest, then finding_id. By due_at what has no date comes behind all that have one, and with - before them."
    sort: String`;

/**
 * The order of a list. Ascending is the descending order reversed.
 * @throws PalisadeError BAD_REQUEST for an unknown field
 */
export function findingOrder(sort: string | null | undefined): Sort {
  if (!sort) return DEFAULT_SORT;
  const descending = sort.startsWith('-');
  const name = descending ? sort.slice(1) : sort;
  const order = Object.hasOwn(FINDING_SORTS, name) ? FINDING_SORTS[name] : undefined;
  if (!order) throw badRequest(`sort must be one of ${SORT_NAMES.join(', ')}, with - in front for descending`);
  return descending ? order : reversed(order);
}

/** What is compared when findings that were read apart are put in order. */
export const KEY_FIELDS = ['engine', 'finding_id', 'severity_rank', 'risk_score', 'first_seen_at', 'last_seen_at', 'due_rank'] as const;
export type Key = Pick<FindingRow, '_id' | (typeof KEY_FIELDS)[number]>;

/** What compares findings in an order; those of one id in several engines by the engine's name. */
export function comparing(sort: Sort): (one: Key, other: Key) => number {
  const fields = [...Object.entries(sort), ['engine', 1] as const] as [keyof Key, 1 | -1][];
  return (one, other) => {
    for (const [field, way] of fields) {
      const [a, b] = [one[field], other[field]];
      if (a < b) return -way;
      if (a > b) return way;
    }
    return 0;
  };
}
