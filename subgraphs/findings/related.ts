import DataLoader from 'dataloader';
import type { EngineContext } from '../../kit/engine/context.js';
import { holds } from '../../kit/base/auth-context.js';
import { severityRank } from '../../kit/findings/risk-score.js';
import { ask, type FindingItem } from './owner.js';

/** Related findings asked of one engine. */
const PER_ENGINE = 50;

export interface RelatedFindings {
  items: FindingItem[];
  /** View segment -> whether it answered in time. */
  availability: Record<string, boolean>;
  degraded: string[];
  restricted: string[];
}

type OnResource = { resource_uid: string; items: FindingItem[] };
type Loader = DataLoader<string, FindingItem[]>;
const loaders = new WeakMap<EngineContext, Map<string, Loader>>();

/** One loader an engine and request: resources asked for together become one call within its time budget. */
function loaderFor(context: EngineContext, engine: string): Loader {
  const ofContext = loaders.get(context) ?? new Map<string, Loader>();
  loaders.set(context, ofContext);
  const known = ofContext.get(engine);
  if (known) return known;
  const loader: Loader = new DataLoader(
    async (uids) => {
      const found = await ask<OnResource[]>(
        context,
        engine,
        'related',
        { uids, limit: PER_ENGINE },
        context.services.config.FAN_OUT_TIMEOUT_MS,
      );
      const byUid = new Map(found.map(({ resource_uid, items }) => [resource_uid, items]));
      return uids.map((uid) => byUid.get(uid) ?? []);
    },
    { maxBatchSize: 200 },
  );
  ofContext.set(engine, loader);
  return loader;
}

const worstFirst = (a: FindingItem, b: FindingItem) =>
  severityRank(b.severity) - severityRank(a.severity) || b.risk_score - a.risk_score || a.finding_id.localeCompare(b.finding_id);

/**
 * The findings of every engine on one resource (specification, RelatedFindingsBlock). Engines that the role may not read
 * are restricted and never asked; those that do not answer within FAN_OUT_TIMEOUT_MS are degraded. The two are never mixed.
 */
export async function relatedFindings(context: EngineContext, resourceUid: string): Promise<RelatedFindings> {
  const { findingEngines } = context.services;
  const readable = findingEngines.filter(({ permission }) => holds(context.auth, permission));
  const restricted = findingEngines.filter(({ permission }) => !holds(context.auth, permission)).map(({ viewSegment }) => viewSegment);
  const answers = await Promise.allSettled(readable.map(({ engine }) => loaderFor(context, engine).load(resourceUid)));
  const availability = Object.fromEntries(readable.map(({ viewSegment }, i) => [viewSegment, answers[i]!.status === 'fulfilled']));
  const degraded = Object.keys(availability).filter((segment) => !availability[segment]);
  const items = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])).sort(worstFirst);
  return { items, availability, degraded, restricted };
}
