import { FINDING_STATUSES, type FindingStatus } from '../../schema/model.js';
import { BoundedCache } from '../base/bounded-cache.js';
import { createTimeSlice } from '../base/time-slice.js';
import type { EngineDatabase } from '../store/database.js';
import type { Filter } from '../store/query.js';
import { cellsOf, findingCounters } from './counters.js';
import { keptUntilChange } from './kept.js';
import { CLOSABLE } from './lifecycle.js';
import { PLACED, placedCells, saysOnly, selectsPlaced, type PlacedCell } from './placed-cells.js';
import { severityRank } from './risk-score.js';
import { findings } from './row.js';
import { selection as conditionOf } from './search.js';
import { exclusionOf, type Selection } from './selection.js';

/** What findings of one engine are grouped by. */
export type GroupedBy = 'rule_id' | 'resource_uid' | 'account_id' | 'cve';

/** The findings of one group in one engine, in numbers. */
export interface GroupCounts {
  value: string | null;
  /** A title, or a type of resource; null where a group has neither. */
  label: string | null;
  total: number;
  open: number;
  resolved: number;
  suppressed: number;
  false_positive: number;
  /** Rank of the worst severity of those that are open; 0 where none is. */
  worst: number;
}

const LABELS = { rule_id: 'title', cve: 'title', resource_uid: 'resource_type' } as const;

/** The groups found last, over all tenants: of resources they may be many. */
const foundLast = new BoundedCache<{ readonly answer: unknown }>(20);

/** What counters of the rows of a column tell apart. */
const TOLD = {
  rule_id: ['severity', 'status', 'provider', 'rule_id'],
  resource_uid: [...PLACED, 'resource_uid'],
} as const;

const isOpen = (status: FindingStatus): boolean => CLOSABLE.includes(status);

/** A selection that has suppressed findings, too, where it does not say which statuses it wants: a group counts them apart. */
export const ofEveryStatus = ({ wanted, excluded }: Selection): Selection => ({
  wanted: { ...wanted, status: wanted.status ?? FINDING_STATUSES },
  excluded,
});

/** The groups of one engine's findings that a selection has. Kept until a finding changes. */
export function groupsOf(database: EngineDatabase, by: GroupedBy, asked: Selection): Promise<GroupCounts[]> {
  const selection = ofEveryStatus(asked);
  const read = (): Promise<GroupCounts[]> => {
    if (by === 'account_id') return ofPlaces(database, selection);
    return by !== 'cve' && saysOnly(selection, TOLD[by]) ? ofCounters(database, by, selection) : ofFindings(database, by, selection);
  };
  return keptUntilChange(database, `groups ${by} without ${JSON.stringify(selection.excluded)}`, selection.wanted, read, foundLast);
}

function add(group: GroupCounts, status: FindingStatus, rank: number, count: number): void {
  group.total += count;
  if (isOpen(status)) {
    group.open += count;
    group.worst = Math.max(group.worst, rank);
  } else if (status === 'RESOLVED') group.resolved += count;
  else if (status === 'SUPPRESSED') group.suppressed += count;
  else if (status === 'FALSE_POSITIVE') group.false_positive += count;
}

/** A group without findings. */
export const emptyGroup = (value: string | null, label: string | null): GroupCounts => ({
  value,
  label,
  ...{ total: 0, open: 0, resolved: 0, suppressed: 0, false_positive: 0, worst: 0 },
});

/** Adds the findings of another group to a group. */
export function addGroup(sum: GroupCounts, group: GroupCounts): void {
  for (const of of ['total', 'open', 'resolved', 'suppressed', 'false_positive'] as const) sum[of] += group[of];
  sum.worst = Math.max(sum.worst, group.worst);
}

async function ofPlaces(database: EngineDatabase, selection: Selection): Promise<GroupCounts[]> {
  const groups = new Map<string | null, GroupCounts>();
  for (const cell of (await placedCells(database, selection)).filter(selectsPlaced(selection))) {
    const group = groups.get(cell.account_id) ?? emptyGroup(cell.account_id, null);
    groups.set(cell.account_id, group);
    add(group, cell.status, severityRank(cell.severity), cell.count);
  }
  return [...groups.values()];
}

async function ofCounters(database: EngineDatabase, by: keyof typeof TOLD, selection: Selection): Promise<GroupCounts[]> {
  const selects = selectsPlaced(selection);
  const named = selection.wanted[by];
  const excluded = selection.excluded.flatMap((filter) => filter[by] ?? []);
  const groups: GroupCounts[] = [];
  const pause = createTimeSlice();
  const rows = database
    .collection(findingCounters)
    .scan({ by, total: { $gt: 0 } }, { fields: ['value', 'counts', 'title'], batchSize: 1_000 });
  for await (const { value, title, counts } of rows) {
    await pause();
    if ((named && !named.includes(value!)) || excluded.includes(value!)) continue;
    const cells = (cellsOf({ counts }) as PlacedCell[]).filter(selects);
    if (cells.length === 0) continue;
    const group = emptyGroup(value!, by === 'rule_id' ? (title ?? null) : cells[0]!.resource_type);
    for (const { status, severity, count } of cells) add(group, status, severityRank(severity), count);
    groups.push(group);
  }
  return groups;
}

/** The database's condition for what a selection has. */
export async function conditionOfAll(database: EngineDatabase, selection: Selection): Promise<Filter> {
  return { $and: [await conditionOf(database, selection.wanted), exclusionOf(selection)] };
}

async function ofFindings(database: EngineDatabase, by: keyof typeof LABELS, selection: Selection): Promise<GroupCounts[]> {
  const match: Filter[] = [await conditionOfAll(database, selection), ...(by === 'cve' ? [{ cve: { $gt: '' } }] : [])];
  const found = await database.collection(findings).aggregate<{
    _id: { value: string | null; status: FindingStatus; rank: number };
    label: string | null;
    count: number;
  }>([
    { $match: { $and: match } },
    {
      $group: {
        _id: { value: `$${by}`, status: '$status', rank: '$severity_rank' },
        label: { $max: `$${LABELS[by]}` },
        count: { $sum: 1 },
      },
    },
  ]);
  const groups = new Map<string | null, GroupCounts>();
  for (const { _id, label: named, count } of found) {
    const group = groups.get(_id.value) ?? emptyGroup(_id.value, named);
    groups.set(_id.value, group);
    add(group, _id.status, _id.rank, count);
  }
  return [...groups.values()];
}

/** What is looked up of the groups of a page alone. */
export interface GroupMoments {
  value: string | null;
  /** First seen after the moment that was asked for, whatever became of them. */
  fresh: number;
  /** When the first of those that are open was first seen. */
  oldest: Date | null;
}

/** Adds what was looked up of another group to what was of a group. */
export function addMoments(sum: GroupMoments, { fresh, oldest }: GroupMoments): void {
  sum.fresh += fresh;
  if (oldest !== null && (sum.oldest === null || oldest < sum.oldest)) sum.oldest = oldest;
}

/** When the findings of some groups were first seen; of all findings as one group where `by` is null. Kept until a finding changes. */
export function momentsOf(
  database: EngineDatabase,
  by: GroupedBy | null,
  values: readonly (string | null)[],
  selection: Selection,
  since: Date,
): Promise<GroupMoments[]> {
  const what = `moments ${by} ${JSON.stringify([values, since, selection.excluded])}`;
  return keptUntilChange(database, what, ofEveryStatus(selection).wanted, () => readMoments(database, by, values, selection, since));
}

/** As `momentsOf`, of every group where `values` is null, and not kept. */
export async function readMoments(
  database: EngineDatabase,
  by: GroupedBy | null,
  values: readonly (string | null)[] | null,
  selection: Selection,
  since: Date,
): Promise<GroupMoments[]> {
  const among = by === null || values === null ? {} : { [by]: { $in: values } };
  const within = { $and: [await conditionOfAll(database, ofEveryStatus(selection)), among] };
  const rows = database.collection(findings);
  const value = by === null ? null : `$${by}`;
  const [fresh, oldest] = await Promise.all([
    rows.aggregate<{ _id: string | null; count: number }>([
      { $match: { $and: [within, { first_seen_at: { $gt: since } }] } },
      { $group: { _id: value, count: { $sum: 1 } } },
    ]),
    rows.aggregate<{ _id: string | null; at: Date }>([
      { $match: { $and: [within, { status: { $in: CLOSABLE } }] } },
      { $group: { _id: value, at: { $min: '$first_seen_at' } } },
    ]),
  ]);
  const ats = new Map(oldest.map(({ _id, at }) => [_id, at]));
  const counts = new Map(fresh.map(({ _id, count }) => [_id, count]));
  return [...new Set([...ats.keys(), ...counts.keys()])].map((one) => ({
    value: one,
    fresh: counts.get(one) ?? 0,
    oldest: ats.get(one) ?? null,
  }));
}
