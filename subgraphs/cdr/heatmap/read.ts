import { attackTactics, tacticsOf } from '../../../catalog/attack.js';
import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { findingCondition, type FindingFilter } from '../../../kit/findings/filters.js';
import { findings, HAPPENED } from '../../../kit/findings/row.js';
import type { Filter } from '../../../kit/store/query.js';

const HOUR = 3_600_000;
/** Days that are told when nothing is said, and at most. */
const [DAYS, MOST] = [7, 31];
const MOST_ACCOUNTS = 100;

export interface HeatmapArguments extends FindingFilter {
  by: 'tactic' | 'account';
  from?: Date | null;
  to?: Date | null;
}

/** Detections of one hour that count in the same rows. */
interface Alike {
  hour: number;
  rows: readonly (string | null)[];
  count: number;
}

/**
 * Detections by hour and tactic or account.
 * @throws PalisadeError BAD_REQUEST for a range that ends before it begins, or is too long
 */
export async function detectionHeatmap(context: EngineContext, args: HeatmapArguments) {
  const { by } = args;
  const [first, end] = rangeOf(args, context.services.clock.now());
  const condition = findingCondition(args);
  const within = { $gte: new Date(first), $lt: new Date(end) };
  const found = [
    ...(await alike(context, by, { $and: [condition, HAPPENED, { happened_at: within }] }, 'happened_at')),
    ...(await alike(context, by, { $and: [condition, { first_seen_at: within, happened_at: { $exists: false } }] }, 'first_seen_at')),
  ];
  const size = (end - first) / HOUR;
  const counts = new Map<string | null, number[]>();
  const rowOf = (value: string | null): number[] => {
    const known = counts.get(value) ?? Array.from({ length: size }, () => 0);
    counts.set(value, known);
    return known;
  };
  if (by === 'tactic') for (const { tactic_id } of attackTactics()) rowOf(tactic_id);
  for (const { hour, rows, count } of found) for (const value of rows) rowOf(value)[hour - first / HOUR]! += count;
  const rows = [...counts].map(([value, own]) => ({ value, label: labelOf(by, value), total: sum(own), counts: own }));
  if (by === 'account') rows.sort((one, other) => other.total - one.total || (String(one.value) < String(other.value) ? -1 : 1));
  const shown = by === 'account' ? rows.slice(0, MOST_ACCOUNTS) : rows;
  return {
    by,
    from: new Date(first),
    to: new Date(end),
    total: sum(found.map(({ count }) => count)),
    hours: Array.from({ length: size }, (_, n) => new Date(first + n * HOUR)),
    rows: shown,
    rows_left_out: rows.length - shown.length,
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** When the first hour begins and the last one ends. */
function rangeOf({ from, to }: HeatmapArguments, now: Date): [first: number, end: number] {
  const last = (to ?? now).getTime();
  const begin = from?.getTime() ?? last - DAYS * 24 * HOUR;
  if (begin >= last) throw badRequest('from must be before to');
  if (last - begin > MOST * 24 * HOUR) throw badRequest(`from and to must be at most ${MOST} days apart`);
  return [Math.floor(begin / HOUR) * HOUR, Math.ceil(last / HOUR) * HOUR];
}

const labelOf = (by: HeatmapArguments['by'], value: string | null): string | null =>
  by === 'tactic' ? (attackTactics().find(({ tactic_id }) => tactic_id === value)?.name ?? null) : null;

/** Detections that a condition selects, by the hour of a moment: groups are as many as hours and places or sets of techniques, not as detections. */
async function alike(
  context: EngineContext,
  by: HeatmapArguments['by'],
  condition: Filter,
  moment: 'happened_at' | 'first_seen_at',
): Promise<Alike[]> {
  const own = by === 'account' ? { account: '$account_id' } : { techniques: '$mitre_techniques', tactics: '$mitre_tactics' };
  const groups = await context.collection(findings).aggregate<{
    _id: { day: string; account?: string | null; techniques?: string[]; tactics?: string[] };
    count: number;
  }>([{ $match: condition }, { $group: { _id: { day: { $dateToString: { format: '%Y-%m-%dT%H:00:00.000Z', date: `$${moment}` } }, ...own }, count: { $sum: 1 } } }]);
  return groups.map(({ _id: { day, account, techniques, tactics }, count }) => {
    const hour = Date.parse(day) / HOUR;
    if (by === 'account') return { hour, rows: [account ?? null], count };
    const named = tacticsOf(techniques ?? [], tactics ?? []);
    return { hour, rows: named.length > 0 ? named : [null], count };
  });
}
