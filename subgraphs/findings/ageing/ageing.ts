import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { dayOf, noSeverities, resolvedByDay, seenByDay } from '../../../kit/findings/ages.js';
import type { EveryFilter } from '../../../kit/findings/every-filter.js';
import { selectionIn } from '../list/joined.js';
import { engineScope, readAcross } from '../list/reading.js';

export type AgeingArguments = EveryFilter & { days?: number | null };

const [HOUR, DAY] = [3_600_000, 86_400_000];
/** Days that are told one by one when nothing is said, and at most. */
const [DAYS, MOST] = [30, 366];
/** Days after which findings are of the next band. */
const BANDS = [7, 30, 90, 180] as const;

const sum = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((all, one) => all + one, 0);
const tenth = (value: number): number => Math.round(value * 10) / 10;

/**
 * How old the findings are that filters select and that are open, how long others took to resolve, and how many came and went by day.
 * @throws PalisadeError BAD_REQUEST
 */
export async function findingAgeing(context: EngineContext, { days: asked, ...args }: AgeingArguments) {
  const days = asked ?? DAYS;
  if (days < 1 || days > MOST) throw badRequest(`days must be an integer from 1 to ${MOST}`);
  const today = dayOf(context.services.clock.now());
  const first = today - days + 1;
  const selectionOf = await selectionIn(context, args);
  const found = await readAcross(context, engineScope(context, args), async (database) => {
    const selection = await selectionOf(database);
    if (!selection) return { seen: [], resolved: [] };
    const [seen, resolved] = await Promise.all([seenByDay(database, selection), resolvedByDay(database, selection, new Date(first * DAY))]);
    return { seen, resolved };
  });
  const seen = found.answers.flatMap(({ result }) => result.seen);
  const resolved = found.answers.flatMap(({ result }) => result.resolved);
  const bands = [0, ...BANDS].map((from_days, n) => ({ from_days, to_days: BANDS[n] ?? null, counts: noSeverities() }));
  let [open, age] = [0, 0];
  for (const one of seen) {
    const old = Math.max(0, today - one.day);
    bands.findLast(({ from_days }) => old >= from_days)!.counts[one.severity] += one.open;
    open += one.open;
    age += one.open * old;
  }
  const count = resolved.reduce((all, one) => all + one.count, 0);
  const openFor = resolved.reduce((all, one) => all + one.openFor, 0);
  return {
    open,
    mean_age_days: open === 0 ? null : tenth(age / open),
    bands: bands.map((band) => ({ ...band, total: sum(band.counts) })),
    resolved: count,
    mean_hours_to_resolve: count === 0 ? null : tenth(openFor / count / HOUR),
    days: Array.from({ length: days }, (_, n) => first + n).map((day) => ({
      date: new Date(day * DAY).toISOString().slice(0, 10),
      new: seen.reduce((all, one) => all + (one.day === day ? one.count : 0), 0),
      resolved: resolved.reduce((all, one) => all + (one.day === day ? one.count : 0), 0),
    })),
    degradedEngines: found.degradedEngines,
    restrictedEngines: found.restrictedEngines,
  };
}
