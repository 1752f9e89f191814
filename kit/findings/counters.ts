import type { TransactionOf } from '../store/query.js';
import { FINDING_STATUSES, SEVERITIES, type FindingStatus, type Provider, type Severity } from '../../schema/model.js';
import { defineEngineCollection, type RowOf } from '../store/collection.js';
import { nullable, object, text } from '../store/fields.js';
import type { EngineDatabase, TenantDatabase } from '../store/database.js';
import type { FindingRow } from './row.js';

/** What counters tell apart: the common filters of every finding list. */
export type CountedRow = Pick<FindingRow, 'severity' | 'status' | 'provider' | 'account_id' | 'region' | 'resource_type'>;

/**
 * Number of findings by their counted values, so that an exact `total` costs one small read at a million findings. One
 * row an engine holds severity, status and provider; one row an engine and account holds region and resource type too.
 */
export const findingCounters = defineEngineCollection(
  'finding_counters',
  {
    /** null: the row of the whole engine. */
    account: nullable(text),
    counts: object<Record<string, number>>(),
  },
  [{ key: { tenant_id: 1, engine: 1, account: 1 } }],
);
type CounterRow = RowOf<typeof findingCounters>;

/** One cell of the counters. `region` and `resource_type` are absent in the row of the whole engine. */
export interface Cell {
  severity: Severity;
  status: FindingStatus;
  provider: Provider;
  region?: string;
  resource_type?: string;
  count: number;
}

const WHOLE = '*';
const NO_ACCOUNT = '-';
// a key is a field name of the row: no dots, no dollars
const escape = (part: string) => encodeURIComponent(part.toWellFormed()).replaceAll('.', '%2E');
const accountOf = (row: CountedRow) => (row.account_id === null ? NO_ACCOUNT : `a:${row.account_id}`);

const wholeKey = (row: CountedRow) => `${row.severity}|${row.status}|${row.provider}`;
const fineKey = (row: CountedRow) => `${wholeKey(row)}|${escape(row.region)}|${escape(row.resource_type)}`;

/** Changes of counters, gathered over a batch and written in its transaction. */
export class CounterChanges {
  private readonly changes = new Map<string, Map<string, number>>();

  add(row: CountedRow, by: 1 | -1): void {
    this.bump(WHOLE, wholeKey(row), by);
    this.bump(accountOf(row), fineKey(row), by);
  }

  move(before: CountedRow, after: CountedRow): void {
    this.add(before, -1);
    this.add(after, 1);
  }

  async write(database: EngineDatabase, transaction: TransactionOf): Promise<void> {
    const updates = [...this.changes].flatMap(([account, keys]) => {
      const increments = [...keys].filter(([, by]) => by !== 0).map(([key, by]) => [`counts.${key}`, by] as const);
      if (increments.length === 0) return [];
      const update = { $inc: Object.fromEntries(increments), $setOnInsert: { account: account === WHOLE ? null : account } };
      return [{ _id: `${database.tenantId}|${database.engine}|${account}`, update, upsert: true }];
    });
    await database.collection(findingCounters).bulkUpdate(updates, { transaction });
  }

  private bump(account: string, key: string, by: number): void {
    const keys = this.changes.get(account) ?? new Map<string, number>();
    this.changes.set(account, keys.set(key, (keys.get(key) ?? 0) + by));
  }
}

function cells(row: CounterRow): Cell[] {
  return Object.entries(row.counts).map(([key, count]) => {
    const [severity, status, provider, region, resourceType] = key.split('|');
    return {
      severity: severity as Severity,
      status: status as FindingStatus,
      provider: provider as Provider,
      region: region === undefined ? undefined : decodeURIComponent(region),
      resource_type: resourceType === undefined ? undefined : decodeURIComponent(resourceType),
      count,
    };
  });
}

/**
 * The counted cells of an engine.
 * @param accounts `null` for the whole engine (no region, no resource type in the cells), `all` for every account, else the named ones
 */
export async function readCounters(database: EngineDatabase, accounts: readonly string[] | 'all' | null): Promise<Cell[]> {
  const account = accounts === null ? null : accounts === 'all' ? { $ne: null } : { $in: accounts.map((id) => `a:${id}`) };
  const filter = accounts === null ? { _id: `${database.tenantId}|${database.engine}|${WHOLE}` } : { account };
  return (await database.collection(findingCounters).find(filter)).flatMap(cells);
}

/** Number of findings stored in these engines, of every status: one small read. */
export async function countStored(tenant: TenantDatabase, engines: readonly string[]): Promise<number> {
  const ids = engines.map((engine) => `${tenant.tenantId}|${engine}|${WHOLE}`);
  const rows = await tenant
    .engines(engines)
    .collection(findingCounters)
    .find({ _id: { $in: ids } });
  return rows.flatMap(cells).reduce((sum, { count }) => sum + count, 0);
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
