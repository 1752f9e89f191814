import { createTimeSlice } from '../../../kit/base/time-slice.js';
import type { EngineContext, IngestSinks } from '../../../kit/engine/context.js';
import { asTenant } from '../../../kit/engine/create-context.js';
import { deriveLatest, keepRowsBy } from '../../../kit/engine/kept-rows.js';
import type { JobHandler } from '../../../kit/engine/job.js';
import { enginesOf, READERS, type Reader } from '../../../kit/findings/readers.js';
import { countFindingsByProvider } from '../../../kit/read/finding-counts.js';
import { digestOf } from '../../../kit/store/row-id.js';
import { statisticsOf } from '../simulation/statistics.js';
import { basisOf, DRAWS, yearsOf, type Basis } from './basis.js';
import { causesOf } from './causes.js';
import { breachesOf } from './breaches.js';
import { riskResults, riskScenarios, type RiskResultRow, type RiskScenarioRow } from './records.js';
import { scenariosOf } from './scenarios.js';
import { NOTHING_FIXED } from './ways.js';

/** Causes of which it is reckoned what fixing them wins. */
const MOST_CAUSES = 10;

/**
 * Reckons risk anew where something that it rests on has changed, for each role what it may read. The results, whose digest says what the scenarios
 * rest on, are written behind them: killed in between, the next reckoning does it again, and whoever has read a summary finds its scenarios.
 */
export const reckonRisk: IngestSinks['conclude'] = (context, { at }) =>
  deriveLatest(context, riskResults.name, async (write) => {
    const results: RiskResultRow[] = [];
    const scenarios: RiskScenarioRow[] = [];
    const known = await context.collection(riskResults).find({});
    for (const reader of READERS) {
      const engines = enginesOf(reader, context.services.findingEngines);
      const basis = await basisOf(context, (engine) => engines.includes(engine));
      const digest = digestOf([basis.paths, [...basis.losses], basis.settings]);
      const before = known.find((row) => row.reader === reader);
      if (before?.digest === digest) {
        results.push(before);
        scenarios.push(...(await context.collection(riskScenarios).find({ reader })));
        continue;
      }
      const reckoned = await reckonFor(context, reader, basis);
      results.push({ ...reckoned.result, before: before?.statistics.mean ?? null, digest, at });
      scenarios.push(...reckoned.scenarios);
    }
    await keepRowsBy(write, context, riskScenarios, () => once(scenarios));
    await keepRowsBy(write, context, riskResults, () => once(results));
  });

async function* once<T>(rows: T[]): AsyncGenerator<T[]> {
  yield rows;
}

async function reckonFor(context: EngineContext, reader: Reader, basis: Basis) {
  const { tenant_id } = context.auth;
  const slice = createTimeSlice();
  const years = await yearsOf(basis, NOTHING_FIXED, slice);
  const statistics = statisticsOf(years.losses);
  const reductions = new Map<string, { total: number; cells: Float64Array }>();
  for (const { cause } of causesOf(basis.paths).slice(0, MOST_CAUSES)) {
    context.signal.throwIfAborted();
    const fixed = await yearsOf(basis, { ...NOTHING_FIXED, causes: new Set([cause]) }, slice);
    const cells = years.sums.map((sum, n) => (sum - fixed.sums[n]!) / DRAWS);
    reductions.set(cause, { total: cells.reduce((sum, one) => sum + one, 0), cells });
  }
  const driving = new Map(
    basis.paths.flatMap(({ steps }) =>
      steps.flatMap(({ conditions }) =>
        conditions.flatMap(({ engine, finding_id }) =>
          finding_id === null ? [] : [[`${engine}/${finding_id}`, { engine, finding_id }] as const],
        ),
      ),
    ),
  );
  const totals = new Map([...reductions].map(([cause, { total }]) => [cause, total]));
  const result: Omit<RiskResultRow, 'before' | 'digest' | 'at'> = {
    _id: `${tenant_id}|${reader}`,
    tenant_id,
    reader,
    currency: basis.settings.currency,
    draws: DRAWS,
    statistics,
    jewels: years.ways.jewels.length,
    without_figures: years.ways.jewels.filter(({ loss }) => loss === null).length,
    paths: basis.paths.length,
    causes: causesOf(basis.paths, totals).slice(0, MOST_CAUSES),
    by_provider: await countFindingsByProvider(context, [...driving.values()]),
    entries: await breachesOf(basis, slice),
  };
  return { result, scenarios: scenariosOf(tenant_id, reader, basis, years, reductions) };
}

/** A conclusion that no run is the reason of: findings that it does not come by are those that it has not written. */
const newConclusion = (at: Date) => ({ scan_run_id: `conclusion-${at.toISOString()}`, at });

/** Concludes anew after people have changed what risk rests on: a jewel that is new has paths to it. */
export const reckonJob: JobHandler = {
  run: ({ context }) => context.services.ingest.conclude(asTenant(context), newConclusion(context.services.clock.now())),
  // the next run reckons, too
  giveUp: () => Promise.resolve(),
};
