import { FINDING_STATUSES, SEVERITIES, type Severity } from '../../schema/model.js';
import type { EngineDatabase } from '../store/database.js';
import { cellsOf, findingCounters } from './counters.js';
import { askedFilters } from './filters.js';
import { conditionOfAll, ofEveryStatus } from './groups.js';
import { keptUntilChange } from './kept.js';
import { CLOSABLE } from './lifecycle.js';
import { severityOfRank } from './risk-score.js';
import { findings } from './row.js';
import { saysOnly } from './placed-cells.js';
import { selectsCell } from './selected-cells.js';
import type { Selection } from './selection.js';

const DAY = 86_400_000;
/** What the cells of counters of moments tell apart. */
const TOLD = ['severity', 'status', 'provider'] as const;

/** Findings of one severity that were first seen on one day. */
export interface SeenOn {
  /** The day (UTC): its number since 1970. */
  readonly day: number;
  readonly severity: Severity;
  /** Of every status, and those of them that are open or worked on. */
  readonly count: number;
  readonly open: number;
}

/** Findings that were resolved on one day and are still, and the milliseconds for which they had been open, in all. */
export interface ResolvedOn {
  readonly day: number;
  readonly count: number;
  readonly openFor: number;
}

export const dayOf = (moment: Date): number => Math.floor(moment.getTime() / DAY);

/** What was resolved had been open since it was first seen or came back; of what is not resolved it is nothing. */
export const OPEN_FOR = { $max: [{ $subtract: ['$resolved_at', { $max: ['$first_seen_at', '$regressed_at'] }] }, 0] };

/**
 * What a selection has of one engine by the day on which it was first seen: from counters where it goes by severity, status and provider alone, whose
 * rows are as many as there were runs; else findings are grouped. Kept until a finding changes.
 */
export function seenByDay(database: EngineDatabase, asked: Selection): Promise<SeenOn[]> {
  const selected = ofEveryStatus(asked);
  const { wanted, excluded } = selected;
  const isTold = saysOnly(selected, TOLD);
  return keptUntilChange(database, `seen by day without ${JSON.stringify(excluded)}`, wanted, () =>
    isTold ? countedByDay(database, selected) : groupedByDay(database, selected),
  );
}

class Days {
  private readonly all = new Map<string, { day: number; severity: Severity; count: number; open: number }>();

  add(day: number, severity: Severity, count: number, isOpen: boolean): void {
    const key = `${day} ${severity}`;
    const known = this.all.get(key) ?? { day, severity, count: 0, open: 0 };
    known.count += count;
    if (isOpen) known.open += count;
    this.all.set(key, known);
  }

  list(): SeenOn[] {
    return [...this.all.values()];
  }
}

async function countedByDay(database: EngineDatabase, { wanted, excluded }: Selection): Promise<SeenOn[]> {
  const selects = selectsCell(wanted, askedFilters(wanted));
  const excludes = excluded.map((filter) => selectsCell({ status: FINDING_STATUSES, ...filter }, askedFilters(filter)));
  const days = new Days();
  const condition = { by: 'first_seen_at', moment: { $exists: true } };
  for await (const row of database.collection(findingCounters).scan(condition, { fields: ['moment', 'counts'] }))
    for (const cell of cellsOf(row))
      if (selects(cell) && !excludes.some((one) => one(cell)))
        days.add(dayOf(row.moment!), cell.severity, cell.count, CLOSABLE.includes(cell.status));
  return days.list();
}

async function groupedByDay(database: EngineDatabase, selected: Selection): Promise<SeenOn[]> {
  const day = { $floor: { $divide: [{ $subtract: ['$first_seen_at', new Date(0)] }, DAY] } };
  const found = await database
    .collection(findings)
    .aggregate<{ _id: { day: number; rank: number; open: boolean }; count: number }>([
      { $match: await conditionOfAll(database, selected) },
      { $group: { _id: { day, rank: '$severity_rank', open: { $in: ['$status', CLOSABLE] } }, count: { $sum: 1 } } },
    ]);
  const days = new Days();
  for (const { _id, count } of found) days.add(Number(_id.day), severityOfRank(_id.rank), count, _id.open);
  return days.list();
}

/** What a selection has of one engine that was resolved since a moment, by day. Kept until a finding changes. */
export function resolvedByDay(database: EngineDatabase, asked: Selection, since: Date): Promise<ResolvedOn[]> {
  const selected = ofEveryStatus(asked);
  const day = { $floor: { $divide: [{ $subtract: ['$resolved_at', new Date(0)] }, DAY] } };
  return keptUntilChange(
    database,
    `resolved since ${since.toISOString()} without ${JSON.stringify(asked.excluded)}`,
    selected.wanted,
    async () => {
      const found = await database
        .collection(findings)
        .aggregate<{ _id: number; count: number; openFor: number }>([
          { $match: { $and: [await conditionOfAll(database, selected), { status: 'RESOLVED', resolved_at: { $gte: since } }] } },
          { $group: { _id: day, count: { $sum: 1 }, openFor: { $sum: OPEN_FOR } } },
        ]);
      return found.map(({ _id, count, openFor }) => ({ day: Number(_id), count, openFor: Number(openFor) }));
    },
  );
}

/** Counts by severity, every one present. */
export const noSeverities = (): Record<Severity, number> =>
  Object.fromEntries(SEVERITIES.map((name) => [name, 0])) as Record<Severity, number>;
