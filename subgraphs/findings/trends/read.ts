import { SEVERITIES, type Provider, type Severity } from '../../../schema/model.js';
import { holds } from '../../../kit/base/auth-context.js';
import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { postureScore } from '../dashboard/posture-score.js';
import type { EngineFilter } from '../../../kit/findings/every-filter.js';
import { engineScope } from '../list/reading.js';
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

/**
 * How the estate stood by day, as far as the caller may read it, oldest first: days that nobody looked at are left out.
 * @throws PalisadeError BAD_REQUEST for a range that ends before it begins, or is too long
 */
export async function dashboardTrends(context: EngineContext, args: TrendArguments) {
  const to = args.to ?? context.services.clock.now();
  const from = args.from ?? new Date(to.getTime() - (DAYS - 1) * DAY);
  if (from > to) throw badRequest('from must not be after to');
  if (to.getTime() - from.getTime() > MOST * DAY) throw badRequest(`from and to must be at most ${MOST} days apart`);
  const engines = engineScope(context, args);
  const readable = engines.filter(({ permission }) => holds(context.auth, permission)).map(({ engine }) => engine);
  const [first, last] = [from, to].map((moment) => moment.toISOString().slice(0, 10));
  const rows = await context.collection(postureSnapshots).find({ day: { $gte: first, $lte: last } }, { sort: { day: 1 } });
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
        timed.flatMap((one) => one.openFor ?? []),
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
