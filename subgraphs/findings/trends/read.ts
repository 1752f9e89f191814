import { SEVERITIES, type Provider, type Severity } from '../../../schema/model.js';
import { holds } from '../../../kit/base/auth-context.js';
import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { runOperation } from '../../../kit/engine/operation.js';
import { inventory } from '../dashboard/estate.js';
import { askedOf } from '../dashboard/overview.js';
import { postureScore } from '../dashboard/posture-score.js';
import type { EngineFilter } from '../../../kit/findings/every-filter.js';
import { engineScope } from '../list/reading.js';
import { dayOf, standing } from './take.js';
import { postureSnapshots, type PostureSnapshotRow, type Tally } from './records.js';

const [HOUR, DAY] = [3_600_000, 86_400_000];
/** Days that are told when nothing is said, and at most. */
const [DAYS, MOST] = [30, 366];

export interface TrendArguments extends EngineFilter {
  from?: Date | null;
  to?: Date | null;
  provider?: readonly Provider[] | null;
}

type Counts = Record<Severity, number>;

function severities(tallies: readonly Tally[], providers: readonly Provider[] | null): Counts {
  const counts = Object.fromEntries(SEVERITIES.map((severity) => [severity, 0])) as Counts;
  for (const [key, count] of tallies.flatMap((one) => Object.entries(one))) {
    const [severity, provider] = key.split('|') as [Severity, Provider];
    if (!providers || providers.includes(provider)) counts[severity] += count;
  }
  return counts;
}

const sumOf = (counts: Counts): number => SEVERITIES.reduce((sum, severity) => sum + counts[severity], 0);

/** The rows of days with the present one as it stands now, once there was any: its own row may be an hour old. */
async function withToday(
  context: EngineContext,
  engines: readonly string[],
  noted: readonly PostureSnapshotRow[],
  first: string,
  last: string,
): Promise<readonly PostureSnapshotRow[]> {
  const { auth, services } = context;
  const taken_at = services.clock.now();
  const day = dayOf(taken_at);
  if (day < first || day > last) return noted;
  const before = noted.find((row) => row.day === day) ?? null;
  const latest = before ?? noted.at(-1) ?? (await context.collection(postureSnapshots).findOne({}, { sort: { day: -1 } }));
  if (!latest) return noted;
  const [standsNow, estate] = await Promise.all([
    standing(services.database.tenant(auth.tenant_id), engines, day, before),
    askedOf('di', () => runOperation(context, inventory, {}), { restrictedEngines: [], degradedEngines: [] }),
  ]);
  // where the inventory cannot be had, what was noted last
  const resources = estate?.total ?? latest.resources;
  return [...noted.filter((row) => row !== before), { ...latest, day, taken_at, resources, engines: standsNow }];
}

/**
 * How the estate stood by day, as far as the caller may read it, oldest first, the present day as it stands now: days that nobody looked at are left out.
 * @throws PalisadeError BAD_REQUEST for a range that ends before it begins, or is too long
 */
export async function dashboardTrends(context: EngineContext, args: TrendArguments) {
  const to = args.to ?? context.services.clock.now();
  const from = args.from ?? new Date(to.getTime() - (DAYS - 1) * DAY);
  if (from > to) throw badRequest('from must not be after to');
  if (to.getTime() - from.getTime() > MOST * DAY) throw badRequest(`from and to must be at most ${MOST} days apart`);
  const engines = engineScope(context, args);
  const readable = engines.filter(({ permission }) => holds(context.auth, permission)).map(({ engine }) => engine);
  const [first, last] = [from, to].map(dayOf);
  const noted = await context.collection(postureSnapshots).find({ day: { $gte: first, $lte: last } }, { sort: { day: 1 } });
  const rows = await withToday(context, readable, noted, first!, last!);
  const isWhole = !args.engine && !args.not_engine && !args.provider;
  const of = ({ day, resources, engines: counted }: PostureSnapshotRow) => {
    const own = readable.flatMap((engine) => counted[engine] ?? []);
    const told = (what: 'open' | 'fresh' | 'resolved' | 'regressed') =>
      severities(
        own.map((one) => one[what]),
        args.provider ?? null,
      );
    const open = told('open');
    const resolved = told('resolved');
    // what an earlier release counted as resolved has no times beside it
    const timed = own.filter(({ openFor }) => openFor);
    const meanOver = sumOf(
      severities(
        timed.map((one) => one.resolved),
        args.provider ?? null,
      ),
    );
    const openFor = sumOf(
      severities(
        timed.flatMap(({ openFor: tally }) => (tally ? [tally] : [])),
        args.provider ?? null,
      ),
    );
    return {
      date: day,
      // the resources of a part are not known
      posture_score: isWhole ? postureScore(open, resources) : null,
      resources,
      open,
      new: told('fresh'),
      resolved,
      regressed: told('regressed'),
      mean_hours_to_resolve: meanOver === 0 ? null : Math.round(openFor / meanOver / (HOUR / 10)) / 10,
    };
  };
  return {
    days: rows.map(of),
    restrictedEngines: engines.filter(({ permission }) => !holds(context.auth, permission)).map(({ viewSegment }) => viewSegment),
  };
}
