import { controlsOfRule } from '../../catalog/assessed.js';
import { findCatalogRule } from '../../catalog/catalog.js';
import type { Provider, Severity } from '../../schema/model.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { POSTURE_ENGINES } from '../../kit/engine/rule-results.js';
import { cellsOf, counterId, findingCounters, sumCells, type Cell } from '../../kit/findings/counters.js';
import { CLOSABLE } from '../../kit/findings/lifecycle.js';
import { readableEngines } from '../../kit/findings/present-owner.js';
import { findings, type FindingRow } from '../../kit/findings/row.js';
import type { ScoredFramework } from './frameworks.js';
import type { ScoreScope } from './tallies.js';

/** Counters that are read at a time. */
const AT_ONCE = 500;

/** The open findings of posture rules over a part of the estate, of the engines that the caller may read (decision 39). */
export class OpenFindings {
  /** Rules with open findings by the frameworks of the catalog that they are of. */
  private readonly byFramework = new Map<string, string[]>();

  private constructor(private readonly cells: ReadonlyMap<string, readonly Cell[]>) {
    for (const id of cells.keys()) {
      const rule = findCatalogRule(id);
      const frameworks = new Set(rule ? controlsOfRule(rule).map(({ framework_id }) => framework_id) : []);
      for (const framework of frameworks) this.byFramework.set(framework, [...(this.byFramework.get(framework) ?? []), id]);
    }
  }

  /** Those of rules that fail. @param failing their ids */
  static async read(context: EngineContext, failing: readonly string[], scope: ScoreScope): Promise<OpenFindings> {
    const cells = new Map<string, Cell[]>();
    const found = scope.account_id ? await countedIn(context, new Set(failing), scope.account_id) : await countedAll(context, failing);
    for (const [id, cell] of found)
      if (CLOSABLE.includes(cell.status) && (!scope.provider || scope.provider.includes(cell.provider)))
        cells.set(id, [...(cells.get(id) ?? []), cell]);
    return new OpenFindings(cells);
  }

  /** How many a framework's rules have on resources of one provider, by severity. */
  bySeverity({ framework_id, custom, controls }: ScoredFramework, provider: Provider): Record<Severity, number> {
    const own = custom ? new Set(controls.flatMap(({ selectors }) => selectors)) : (this.byFramework.get(framework_id) ?? []);
    const all = [...own].flatMap((id) => this.cells.get(id) ?? []);
    return sumCells(all.filter((cell) => cell.provider === provider)).severity;
  }
}

const postureEngines = ({ auth, services }: EngineContext): string[] => {
  const readable = readableEngines(services, auth);
  return POSTURE_ENGINES.filter((engine) => readable.includes(engine));
};

/** From the counters of rules. */
async function countedAll(context: EngineContext, ruleIds: readonly string[]): Promise<[string, Cell][]> {
  const { auth, services } = context;
  const tenant = services.database.tenant(auth.tenant_id);
  const engines = postureEngines(context);
  // a rule of the catalog has its findings in its own engine, one of the tenant's in the engine that it names
  const ids = ruleIds.flatMap((id) => {
    const own = findCatalogRule(id)?.engine;
    return engines
      .filter((engine) => own === undefined || engine === own)
      .map((engine) => counterId(tenant.engine(engine), 'rule_id', [id]));
  });
  const counters = tenant.engines(engines).collection(findingCounters);
  const found: [string, Cell][] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE)
    for (const row of await counters.find({ _id: { $in: ids.slice(at, at + AT_ONCE) } }, { fields: ['value', 'counts'] }))
      for (const cell of cellsOf(row)) found.push([row.value!, cell]);
  return found;
}

/** Counters of rules know no accounts: within some, findings are grouped, once for all rules. */
async function countedIn(context: EngineContext, rules: ReadonlySet<string>, accounts: readonly string[]): Promise<[string, Cell][]> {
  const { auth, services } = context;
  const rows = services.database.tenant(auth.tenant_id).engines(postureEngines(context)).collection(findings);
  const groups = await rows.aggregate<{ _id: Pick<FindingRow, 'rule_id' | 'severity' | 'status' | 'provider'>; count: number }>([
    { $match: { account_id: { $in: accounts }, status: { $in: CLOSABLE } } },
    {
      $group: {
        _id: { rule_id: '$rule_id', severity: '$severity', status: '$status', provider: '$provider' },
        count: { $sum: 1 },
      },
    },
  ]);
  return groups.flatMap(({ _id: { rule_id, ...cell }, count }) => (rules.has(rule_id) ? [[rule_id, { ...cell, count }]] : []));
}
