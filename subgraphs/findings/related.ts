import DataLoader from 'dataloader';
import type { EngineContext } from '../../kit/engine/context.js';
import type { FindingItemJson } from '../../kit/findings/item.js';
import { severityRank } from '../../kit/findings/risk-score.js';
import { acrossEngines, askFindings } from '../../kit/read/findings.js';

/** Related findings asked of one engine. */
const PER_ENGINE = 50;

export interface RelatedFindings {
  items: FindingItemJson[];
  /** View segment -> whether it answered in time. */
  availability: Record<string, boolean>;
  degraded: string[];
  restricted: string[];
}

type Loader = DataLoader<string, FindingItemJson[]>;
const loaders = new WeakMap<EngineContext, Map<string, Loader>>();

/** One loader an engine and request: resources asked for together become one call within its time budget. */
function loaderFor(context: EngineContext, engine: string): Loader {
  const ofContext = loaders.get(context) ?? new Map<string, Loader>();
  loaders.set(context, ofContext);
  const known = ofContext.get(engine);
  if (known) return known;
  const loader: Loader = new DataLoader(
    async (uids) => {
      const budget = context.services.config.FAN_OUT_TIMEOUT_MS;
      const found = await askFindings(context, engine, 'onResources', { uids, limit: PER_ENGINE }, budget);
      const byUid = new Map(found.map(({ resource_uid, items }) => [resource_uid, items]));
      return uids.map((uid) => byUid.get(uid) ?? []);
    },
    { maxBatchSize: 200 },
  );
  ofContext.set(engine, loader);
  return loader;
}

const worstFirst = (a: FindingItemJson, b: FindingItemJson) =>
  severityRank(b.severity) - severityRank(a.severity) || b.risk_score - a.risk_score || a.finding_id.localeCompare(b.finding_id);

/**
 * The findings of every engine on one resource (specification, RelatedFindingsBlock). Engines that the role may not read
 * are restricted and never asked; those that do not answer within FAN_OUT_TIMEOUT_MS are degraded. The two are never mixed.
 */
export async function relatedFindings(context: EngineContext, resourceUid: string): Promise<RelatedFindings> {
  const { answers, restrictedEngines, degradedEngines } = await acrossEngines(context, ({ engine }) =>
    loaderFor(context, engine).load(resourceUid),
  );
  const asked = [...answers.map(({ facts }) => facts.viewSegment), ...degradedEngines];
  return {
    items: answers.flatMap(({ result }) => result).sort(worstFirst),
    availability: Object.fromEntries(asked.map((segment) => [segment, !degradedEngines.includes(segment)])),
    degraded: degradedEngines,
    restricted: restrictedEngines,
  };
}
