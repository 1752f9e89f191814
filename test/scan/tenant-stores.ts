import type { mongo } from 'mongoose';

/** What a tenant has in each collection, row by row, in an order that does not depend on when they were written. */
export type Stores = Readonly<Record<string, readonly string[]>>;

type Row = Record<string, unknown>;

/** Collections of who works, and of how it goes: they tell of the work, not of what came of it. A day's snapshot tells of the hour at which it was taken last. */
const OF_THE_WORK = new Set([
  ...[
    'jobs',
    'outbox',
    'scan_run_events',
    'audit_heads',
    'call_counts',
    'tenant_usage',
    'projection_refreshes',
    'outbox_leases',
    'audit_verifications',
    'call_paces',
  ],
  ...['sessions', 'memberships', 'tenants', 'cloud_accounts', 'worker_presence', 'posture_snapshots'],
]);
/** Members of rows, by collection, that tell how often it was tried, in how many batches, and who had asked for it. */
const OF_THE_TRIES: Readonly<Record<string, readonly string[]>> = {
  scan_runs: ['attempts', 'events', 'last_error', 'owner', 'upload_id'],
  rule_tallies: ['changes'],
  derivations: ['no'],
  rule_first_results: ['changes'],
  findings: ['due_rank'],
  // digests of what has times in it
  workloads: ['digest'],
  technology_targets: ['digest'],
};
/** Collections whose rows are batches of entries: what was done, each once, whatever the batches. */
const ENTRIES_OF: Readonly<Record<string, (row: Row) => unknown[]>> = {
  finding_feed: ({ engine, entries }) => (entries as object[]).map((entry) => ({ engine, ...entry })),
  audit_log: ({ action, target, result, detail }) => [target].flat().map((one) => ({ action, target: one, result, detail })),
};

/** Text without what no two scans have in common: the tenant, times, and ids of chance. */
const withoutChance = (text: string, tenantId: string): string =>
  text
    .replaceAll(tenantId, 'TENANT')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, 'ID')
    .replace(/-[0-9a-f]{8}@test/g, '@test');

/** Sorts members, so that rows that were written by other steps compare. */
const inOrder = (_name: string, value: unknown): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

function told(name: string, { _id: _, ...row }: Row): unknown[] {
  const entries = ENTRIES_OF[name];
  if (entries) return entries(row);
  const left = Object.fromEntries(Object.entries(row).filter(([member]) => !OF_THE_TRIES[name]?.includes(member)));
  const { engines } = left;
  if (name === 'scan_runs') left['engines'] = (engines as Row[]).map(({ attempts: _tries, ...engine }) => engine);
  return [left];
}

/** Reads all that a tenant has but for times, tries and what is random: of two scans of one account it is the same. */
export async function storesOf(db: mongo.Db, tenantId: string): Promise<Stores> {
  const stores: Record<string, string[]> = {};
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort();
  for (const name of names.filter((one) => !OF_THE_WORK.has(one))) {
    const rows = await db.collection(name).find({ tenant_id: tenantId }).toArray();
    const texts = rows.flatMap((row) => told(name, row)).map((row) => withoutChance(JSON.stringify(row, inOrder), tenantId));
    if (texts.length > 0) stores[name] = texts.sort();
  }
  return stores;
}

/** What differs between two stores, a line each, the first ones of each collection. */
export function differences(found: Stores, wanted: Stores): string[] {
  const names = [...new Set([...Object.keys(found), ...Object.keys(wanted)])];
  return names.flatMap((name) => {
    const [more, less] = [rest(found[name], wanted[name]), rest(wanted[name], found[name])];
    return [...more.slice(0, 2).map((row) => `+ ${name} ${row}`), ...less.slice(0, 2).map((row) => `- ${name} ${row}`)];
  });
}

/** The rows of one list beyond those of another, as often as they stand in it. */
function rest(rows: readonly string[] = [], others: readonly string[] = []): string[] {
  const left = new Map<string, number>();
  for (const row of others) left.set(row, (left.get(row) ?? 0) + 1);
  return rows.filter((row) => {
    const count = left.get(row) ?? 0;
    left.set(row, count - 1);
    return count <= 0;
  });
}
