import { FINDING_STATUSES, SEVERITIES, type FindingStatus, type Provider, type Severity } from '../../schema/model.js';
import { defineEngineCollection, type RowOf } from '../store/collection.js';
import { date, list, nullable, number, object, optional, text, textOf } from '../store/fields.js';
import type { EngineDatabase, TenantDatabase } from '../store/database.js';
import { exploitKey, splitExploit, type ExploitCell, type ExploitFacts } from './exploit-cell.js';
import type { FindingRow } from './row.js';
import { digestOf } from '../store/row-id.js';

/** Columns each of whose values has a row of counters. */
export const GROUPED = ['account_id', 'region', 'resource_type', 'rule_id', 'resource_uid', 'scan_run_id'] as const;
/** Moments that whole runs share: each has a row of counters, and those after a moment are summed up. */
export const GROUPED_MOMENTS = ['first_seen_at', 'last_seen_at'] as const;
/** Columns whose values together have a row, so that filters by two or three of them are counted, too. */
export const PLACE = ['account_id', 'region', 'resource_type'] as const;

/** What the findings of one row of counters have in common. */
export type Grouping = 'all' | 'place' | (typeof GROUPED)[number] | (typeof GROUPED_MOMENTS)[number];

/** What counters know of a finding. */
export type CountedRow = Pick<
  FindingRow,
  'severity' | 'status' | 'provider' | (typeof GROUPED)[number] | (typeof GROUPED_MOMENTS)[number]
> &
  ExploitFacts & { title?: string; resource_name?: string | null };
/** The fields of a finding that counters need. */
export const COUNTED_FIELDS: readonly (keyof CountedRow)[] = [
  'severity',
  'status',
  'provider',
  'epss',
  'known_exploited',
  'fixable',
  ...GROUPED,
  ...GROUPED_MOMENTS,
  'title',
  'resource_name',
];

const SCOPE = { tenant_id: 1, engine: 1 } as const;
const PLACES = { partialFilterExpression: { by: 'place' } };

/**
 * Number of findings by their counted values, changed in the transaction that changes the finding, so that an exact `total` and a summary cost
 * a few small reads at a million findings. One row for the whole engine, one for each value of a column that filters go by, one for each place
 * (account, region and resource type); the cells of each tell severity, status and provider apart, and those of a resource its places.
 */
export const findingCounters = defineEngineCollection(
  'finding_counters',
  {
    by: textOf<Grouping>(),
    /** The value that the findings have in common, where `by` is a column. */
    value: optional(text),
    moment: optional(date),
    account_id: optional(text),
    region: optional(text),
    resource_type: optional(text),
    /** Cell -> findings; cells without any are left out. */
    counts: object<Record<string, number>>(),
    /** Of rules and resources, by which summaries order them: findings of every status, and the rank of the worst. */
    total: optional(number),
    worst: optional(number),
    /** The titles of a rule's findings, or the names of a resource; null where there are too many. See `findingTexts`. */
    texts: optional(nullable(list(text))),
    /** The title that a rule's findings had last. */
    title: optional(text),
    /** Of the row of the whole engine: another one after each change of any finding, so that what was read of it can be kept until then. */
    version: optional(text),
  },
  [
    { key: { ...SCOPE, by: 1, total: -1, worst: -1, value: 1 }, options: { partialFilterExpression: { total: { $exists: true } } } },
    { key: { ...SCOPE, by: 1, moment: 1 }, options: { partialFilterExpression: { moment: { $exists: true } } } },
    { key: { ...SCOPE, account_id: 1, region: 1, resource_type: 1 }, options: PLACES },
    { key: { ...SCOPE, account_id: 1, resource_type: 1 }, options: PLACES },
    { key: { ...SCOPE, region: 1, resource_type: 1 }, options: PLACES },
  ],
);
export type CounterRow = RowOf<typeof findingCounters>;

/** One cell of the counters. The place is told by the cells of a resource alone, and how likely it is exploited by those of vulnerabilities. */
export interface Cell {
  severity: Severity;
  status: FindingStatus;
  provider: Provider;
  account_id?: string | null;
  region?: string;
  resource_type?: string;
  exploit?: ExploitCell;
  count: number;
}

// a key is a field name of the row: no dots, no dollars
const escape = (part: string | null) => (part === null ? '' : `=${encodeURIComponent(part.toWellFormed()).replaceAll('.', '%2E')}`);
const unescape = (part: string) => (part === '' ? null : decodeURIComponent(part.slice(1)));

/** The key of a finding's cell in the rows of a grouping. */
export const cellKey = (by: Grouping, row: CountedRow): string => {
  const { severity, status, provider, account_id, region, resource_type } = row;
  const key = `${severity}|${status}|${provider}${exploitKey(row)}`;
  return by === 'resource_uid' ? `${key}|${[account_id, region, resource_type].map(escape).join('|')}` : key;
};

/** `_id` of the row of counters whose findings have these values in common. */
export function counterId(database: EngineDatabase, by: Grouping, values: readonly (string | null)[]): string {
  const engine = `${database.tenantId}|${database.engine}`;
  if (by === 'all') return `${engine}|*`;
  return `${engine}|${by}|${digestOf(values)}`;
}

/** The cells of a row. */
export function cellsOf(row: Pick<CounterRow, 'counts'>): Cell[] {
  return Object.entries(row.counts).map(([key, count]) => {
    const [severity, status, told, account, region, type] = key.split('|');
    const { provider, exploit } = splitExploit(told!);
    const cell: Cell = { severity: severity as Severity, status: status as FindingStatus, provider: provider as Provider, count };
    if (exploit) cell.exploit = exploit;
    return account === undefined
      ? cell
      : { ...cell, account_id: unescape(account), region: unescape(region!)!, resource_type: unescape(type!)! };
  });
}

/** Number of findings stored in these engines, of every status: one small read. */
export async function countStored(tenant: TenantDatabase, engines: readonly string[]): Promise<number> {
  const ids = engines.map((engine) => counterId(tenant.engine(engine), 'all', []));
  const rows = await tenant
    .engines(engines)
    .collection(findingCounters)
    .find({ _id: { $in: ids } });
  return rows.flatMap(cellsOf).reduce((sum, { count }) => sum + count, 0);
}

/** Sums of cells by severity and by status, every value present. */
export function sumCells(all: readonly Cell[]): {
  total: number;
  severity: Record<Severity, number>;
  status: Record<FindingStatus, number>;
} {
  const severity = Object.fromEntries(SEVERITIES.map((name) => [name, 0])) as Record<Severity, number>;
  const status = Object.fromEntries(FINDING_STATUSES.map((name) => [name, 0])) as Record<FindingStatus, number>;
  let total = 0;
  for (const cell of all) {
    severity[cell.severity] += cell.count;
    status[cell.status] += cell.count;
    total += cell.count;
  }
  return { total, severity, status };
}
