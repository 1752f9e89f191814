import { z } from 'zod';
import { createTimeSlice } from '../../../kit/base/time-slice.js';
import { invalid, violationsOf } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { enginesOf, type Reader } from '../../../kit/findings/readers.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import { statisticsOf } from '../simulation/statistics.js';
import { basisOf, drawsAtOnce, yearsOf } from './basis.js';
import { riskResults, riskScenarios, type EntryClass } from './records.js';
import { sightOf } from './sight.js';
import { edgeKey, isOpen, NOTHING_FIXED, resultKey } from './ways.js';

const resultOf = (context: EngineContext, reader: Reader | null) =>
  reader === null ? Promise.resolve(null) : context.collection(riskResults).findOne({ _id: `${context.auth.tenant_id}|${reader}` });

/** What the tenant stands to lose within a year, and by what; nulls before the first reckoning. */
export async function riskSummary(context: EngineContext) {
  const { reader, restrictedEngines } = sightOf(context);
  const result = await resultOf(context, reader);
  const { before = null, statistics = null, causes = [], ...rest } = result ?? {};
  return {
    ...{ currency: 'USD', draws: 0, jewels: 0, without_figures: 0, paths: 0, by_provider: null, at: null },
    ...rest,
    statistics,
    drivers: causes,
    change: statistics && before !== null ? statistics.mean - before : null,
    restrictedEngines,
  };
}

export interface ScenarioFilter extends PageArguments {
  resource_uid?: string[] | null;
  entry?: EntryClass[] | null;
  tier?: string[] | null;
  provider?: string[] | null;
}

/** Scenarios, the highest expected loss first; behind them those without figures, by tier and likelihood. */
export async function listScenarios(context: EngineContext, args: ScenarioFilter) {
  const window = pageWindow(args);
  const { reader, restrictedEngines } = sightOf(context);
  const condition: Record<string, unknown> = { reader: reader ?? 'none' };
  for (const name of ['resource_uid', 'entry', 'tier', 'provider'] as const) if (args[name]) condition[name] = { $in: args[name] };
  const rows = context.collection(riskScenarios);
  const [items, total] = await Promise.all([
    rows.find(condition, { sort: { rank: -1, _id: 1 }, skip: window.skip, limit: window.limit }),
    rows.count(condition),
  ]);
  return { ...toPage(items, total, window), restrictedEngines };
}

/** What is lost when each entry is won, the worst first. */
export async function blastRadius(context: EngineContext) {
  const { reader, restrictedEngines } = sightOf(context);
  const result = await resultOf(context, reader);
  return { currency: result?.currency ?? 'USD', at: result?.at ?? null, entries: result?.entries ?? [], restrictedEngines };
}

const MOST_ITEMS = 100;
const itemsOf = (named: Readonly<Record<string, readonly unknown[] | undefined>>): number =>
  Object.values(named).reduce((sum, items) => sum + (items?.length ?? 0), 0);
const inputSchema = z
  .strictObject({
    findings: z.array(z.strictObject({ engine: z.string().min(1).max(100), finding_id: z.string().min(1).max(100) })).optional(),
    results: z.array(z.strictObject({ rule_id: z.string().min(1).max(500), resource_uid: z.string().min(1).max(4_096) })).optional(),
    edges: z.array(z.strictObject({ from: z.string().min(1).max(4_096), to: z.string().min(1).max(4_096) })).optional(),
  })
  .refine((named) => itemsOf(named) > 0, 'at least one finding, result or edge is named')
  .refine((named) => itemsOf(named) <= MOST_ITEMS, `at most ${MOST_ITEMS} findings, results and edges are named`);

/**
 * What would be won if findings, results of rules or edges were fixed; it changes nothing. The years are those of the reckoning, so that no fix raises a loss.
 * What the caller may not read, and what is in no path, wins nothing.
 * @throws PalisadeError VALIDATION_ERROR
 */
export async function whatIf(context: EngineContext, input: object) {
  const parsed = inputSchema.safeParse(Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null)));
  if (!parsed.success) throw invalid(violationsOf(parsed.error));
  const { findings = [], results = [], edges = [] } = parsed.data;
  const { reader, restrictedEngines } = sightOf(context);
  const engines = reader === null ? [] : enginesOf(reader, context.services.findingEngines);
  const engineOf = (segment: string) =>
    context.services.findingEngines.find(({ viewSegment }) => viewSegment === segment)?.engine ?? segment;
  const basis = await basisOf(context, (engine) => engines.includes(engine));
  const fixed = {
    ...NOTHING_FIXED,
    findings: new Set(findings.map(({ engine, finding_id }) => `${engineOf(engine)}/${finding_id}`)),
    results: new Set(results.map(({ rule_id, resource_uid }) => resultKey(rule_id, resource_uid))),
    edges: new Set(edges.map(({ from, to }) => edgeKey(from, to))),
  };
  const rest = createTimeSlice();
  // nobody reckons for a caller who has gone
  const slice = () => {
    context.signal.throwIfAborted();
    return rest();
  };
  const draws = drawsAtOnce(basis);
  const before = statisticsOf((await yearsOf(basis, NOTHING_FIXED, slice, draws)).losses);
  const after = statisticsOf((await yearsOf(basis, fixed, slice, draws)).losses);
  const gone = basis.paths.filter((path) => !isOpen(path, fixed));
  return {
    currency: basis.settings.currency,
    paths_before: basis.paths.length,
    paths_gone: gone.length,
    gone: gone
      .slice(0, MOST_ITEMS)
      .map(({ finding_id, resource_uid, entry, likelihood }) => ({ finding_id, resource_uid, entry, likelihood })),
    draws,
    before,
    after,
    reduction: before.mean - after.mean,
    restrictedEngines,
  };
}
