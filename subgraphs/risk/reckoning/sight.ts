import type { EngineContext } from '../../../kit/engine/context.js';
import { loaderOf } from '../../../kit/engine/loader.js';
import { enginesOf, readableEngines, READERS, type Reader } from '../../../kit/findings/readers.js';
import { riskResults, riskScenarios, type RiskScenarioRow } from './records.js';

/** The role whose numbers a caller may see: the widest all of whose engines the caller reads; null where there is none. */
export function sightOf({ services, auth }: EngineContext): { reader: Reader | null; restrictedEngines: string[] } {
  const readable = readableEngines(services.findingEngines, auth);
  const reader = READERS.find((one) => enginesOf(one, services.findingEngines).every((engine) => readable.includes(engine))) ?? null;
  const counted = reader === null ? [] : enginesOf(reader, services.findingEngines);
  const restricted = services.findingEngines.filter(({ engine }) => !counted.includes(engine));
  return { reader, restrictedEngines: restricted.map(({ viewSegment }) => viewSegment) };
}

/** How a jewel is reached, by what the caller may read; nulls before the first reckoning. */
export interface JewelReach {
  readonly paths: number | null;
  /** Probability that it is lost within a year. */
  readonly likelihood: number | null;
}

/** How jewels are reached, by resource_uid. */
export const reachLoader = loaderOf(async (context: EngineContext, uids: readonly string[]): Promise<JewelReach[]> => {
  const { reader } = sightOf(context);
  const isReckoned = reader !== null && (await context.collection(riskResults).count({ reader })) > 0;
  if (!isReckoned) return uids.map(() => ({ paths: null, likelihood: null }));
  const found = new Map<string, RiskScenarioRow[]>();
  for (const row of await context.collection(riskScenarios).find({ reader, resource_uid: { $in: uids } }))
    found.set(row.resource_uid, [...(found.get(row.resource_uid) ?? []), row]);
  return uids.map((uid) => {
    const scenarios = found.get(uid) ?? [];
    return {
      paths: scenarios.reduce((sum, { paths }) => sum + paths, 0),
      // attempts of the classes have nothing to do with each other
      likelihood: 1 - scenarios.reduce((kept, { likelihood }) => kept * (1 - likelihood), 1),
    };
  });
});
