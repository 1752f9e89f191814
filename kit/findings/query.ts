import type { FindingStatus, Provider, Severity } from '../../schema/model.js';
import type { TenantDatabase } from '../store/database.js';
import { badRequest } from '../base/errors.js';
import { readCounters, sumCells, type Cell } from './counters.js';
import type { FindingRow } from './row.js';
import { severityRank } from './risk-score.js';
import type { Filter, Sort, TenantCollection } from '../store/tenant-collection.js';
import { containsText } from '../store/text-filter.js';

/** The filters of every finding list (decision 7): OR within one, AND between. */
export interface FindingFilter {
  severity?: readonly Severity[] | null;
  provider?: readonly Provider[] | null;
  status?: readonly FindingStatus[] | null;
  region?: readonly string[] | null;
  account_id?: readonly string[] | null;
  resource_type?: readonly string[] | null;
  rule_id?: readonly string[] | null;
  resource_uid?: readonly string[] | null;
  scan_run_id?: readonly string[] | null;
  first_seen_after?: Date | null;
  last_seen_after?: Date | null;
  q?: string | null;
}

const DEFAULT_ORDER: Sort = { severity_rank: -1, last_seen_at: -1, finding_id: 1 };
const ORDERS: Readonly<Record<string, Sort>> = {
  severity: DEFAULT_ORDER,
  risk_score: { risk_score: -1, finding_id: 1 },
  last_seen_at: { last_seen_at: -1, finding_id: 1 },
  first_seen_at: { first_seen_at: -1, finding_id: 1 },
};
/** What `sort` may name. */
export const SORT_FIELDS = Object.keys(ORDERS);

/**
 * The order of a list: always total, so that no row is seen twice or skipped. Ascending is the descending order reversed.
 * @throws PalisadeError BAD_REQUEST for an unknown field
 */
export function findingOrder(sort: string | null | undefined): Sort {
  if (!sort) return DEFAULT_ORDER;
  const descending = sort.startsWith('-');
  const name = descending ? sort.slice(1) : sort;
  const order = Object.hasOwn(ORDERS, name) ? ORDERS[name] : undefined;
  if (!order) throw badRequest(`sort must be one of ${SORT_FIELDS.join(', ')}, with - in front for descending`);
  return descending ? order : Object.fromEntries(Object.entries(order).map(([field, way]) => [field, way === 1 ? -1 : 1] as const));
}

const given = <T>(values: readonly T[] | null | undefined): values is readonly T[] => values !== null && values !== undefined;
const oneOf = (values: readonly unknown[]) => (values.length === 1 ? values[0] : { $in: [...values] });

/** Whether SUPPRESSED findings count: only when `status` asks for them (decision 8). */
function hidden(status: FindingFilter['status']): unknown {
  if (!given(status) || !status.includes('SUPPRESSED')) return false;
  return status.every((one) => one === 'SUPPRESSED') ? true : { $in: [false, true] };
}

/** The database's condition for a filter. */
export function findingCondition(filter: FindingFilter): Filter {
  const condition: Record<string, unknown> = { hidden: hidden(filter.status) };
  if (given(filter.severity)) condition['severity_rank'] = oneOf(filter.severity.map(severityRank));
  for (const field of ['provider', 'status', 'region', 'account_id', 'resource_type', 'rule_id', 'resource_uid', 'scan_run_id'] as const) {
    const values = filter[field];
    if (given(values)) condition[field] = oneOf(values);
  }
  if (filter.first_seen_after) condition['first_seen_at'] = { $gt: filter.first_seen_after };
  if (filter.last_seen_after) condition['last_seen_at'] = { $gt: filter.last_seen_after };
  if (filter.q) Object.assign(condition, containsText(['title', 'resource_name'], filter.q));
  return condition;
}

const COUNTED = ['severity', 'status', 'provider'] as const;
const FINELY_COUNTED = ['region', 'resource_type'] as const;

const isCounted = (filter: FindingFilter) =>
  !given(filter.rule_id) &&
  !given(filter.resource_uid) &&
  !given(filter.scan_run_id) &&
  !filter.first_seen_after &&
  !filter.last_seen_after &&
  !filter.q;

/** The counter cells that a filter selects, or null when it asks for more than the counters know. */
export async function countedCells(tenant: TenantDatabase, engine: string, filter: FindingFilter): Promise<Cell[] | null> {
  if (!isCounted(filter)) return null;
  const fine = given(filter.account_id) || FINELY_COUNTED.some((field) => given(filter[field]));
  const all = await readCounters(tenant, engine, fine ? (filter.account_id ?? 'all') : null);
  return all.filter(
    (cell) =>
      (given(filter.status) || cell.status !== 'SUPPRESSED') &&
      [...COUNTED, ...FINELY_COUNTED].every(
        (field) => !given(filter[field]) || (filter[field] as readonly string[]).includes(cell[field] as string),
      ),
  );
}

/** The exact number of findings that a filter selects: from the counters where they know, else counted. */
export async function countFindings(
  tenant: TenantDatabase,
  rows: TenantCollection<FindingRow>,
  engine: string,
  filter: FindingFilter,
): Promise<number> {
  const cells = await countedCells(tenant, engine, filter);
  return cells ? sumCells(cells).total : rows.count(findingCondition(filter));
}
