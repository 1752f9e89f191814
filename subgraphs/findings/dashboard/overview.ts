import { PROVIDERS, type Provider, type Severity } from '../../../schema/model.js';
import { PalisadeError } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { defineOperation, runOperation } from '../../../kit/engine/operation.js';
import { countedCells } from '../../../kit/findings/counted.js';
import { sumCells, type Cell } from '../../../kit/findings/counters.js';
import { CLOSABLE } from '../../../kit/findings/lifecycle.js';
import { readAcross } from '../list/reading.js';
import { inventory } from './estate.js';
import { postureScore } from './posture-score.js';

const lastRun = defineOperation<Record<string, never>, { items: { completed_at: string | null }[] }>(
  'scans',
  '{ result: scan_runs(state: [COMPLETED, PARTIAL], page_size: 1) { items { completed_at } } }',
);

interface Frameworks {
  items: { framework_id: string; score: number; assessed_controls: number }[];
  has_more: boolean;
}
const frameworks = defineOperation<{ page: number }, Frameworks>(
  'compliance',
  'query($page: Int!) { result: compliance_frameworks(page: $page, page_size: 200) { items { framework_id score assessed_controls } has_more } }',
);

/** What another engine says; null where the caller may not ask it, or it does not answer. */
export async function askedOf<T>(engine: string, ask: () => Promise<T>, missing: Missing): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    const code = error instanceof PalisadeError ? error.code : null;
    if (code === 'FORBIDDEN') missing.restrictedEngines.push(engine);
    else if (code === 'UPSTREAM_UNAVAILABLE' || code === 'INTERNAL') missing.degradedEngines.push(engine);
    else throw error;
    return null;
  }
}

interface Missing {
  readonly restrictedEngines: string[];
  readonly degradedEngines: string[];
}

/** The scores of the frameworks of which anything is assessed (decision 45). */
async function assessedScores(context: EngineContext): Promise<Record<string, number>> {
  const scores: Record<string, number> = {};
  for (let page = 1; ; page++) {
    const { items, has_more } = await runOperation(context, frameworks, { page });
    for (const { framework_id, score, assessed_controls } of items) if (assessed_controls > 0) scores[framework_id] = score;
    if (!has_more) return scores;
  }
}

type Counts = Record<Severity, number>;

/** Open findings by severity, in all and of each provider. */
function severityCounts(open: readonly Cell[]): Counts & { by_provider: Record<Provider, Counts> } {
  const of = (provider: Provider): Counts => sumCells(open.filter((cell) => cell.provider === provider)).severity;
  const by_provider = Object.fromEntries(PROVIDERS.map((provider) => [provider, of(provider)])) as Record<Provider, Counts>;
  return { ...sumCells(open).severity, by_provider };
}

/** The dashboard (specification, "Dashboard overview"): of findings, those of the engines that the caller may read. */
export async function dashboardOverview(context: EngineContext) {
  const missing: Missing = { restrictedEngines: [], degradedEngines: [] };
  const [found, estate, run, compliance_summary] = await Promise.all([
    readAcross(context, context.services.findingEngines, (database) => countedCells(database, { status: CLOSABLE })),
    askedOf('di', () => runOperation(context, inventory, {}), missing),
    askedOf('scans', () => runOperation(context, lastRun, {}), missing),
    askedOf('compliance', () => assessedScores(context), missing),
  ]);
  const severity_counts = severityCounts(found.answers.flatMap(({ result }) => result ?? []));
  return {
    posture_score: estate && postureScore(severity_counts, estate.total),
    critical_findings: severity_counts.critical,
    high_findings: severity_counts.high,
    severity_counts,
    total_resources: estate && estate.total,
    accounts_connected: estate && estate.by_account.filter(({ value, count }) => value !== null && count > 0).length,
    last_scan: run?.items[0]?.completed_at ?? null,
    compliance_summary,
    degradedEngines: [...found.degradedEngines, ...missing.degradedEngines],
    restrictedEngines: [...found.restrictedEngines, ...missing.restrictedEngines],
  };
}
