import { badRequest, PalisadeError } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { FindingFacts } from '../../../kit/engine/finding-facts.js';
import type { EngineFilter } from '../../../kit/findings/every-filter.js';
import { acrossEngines, type FindingsAcross } from '../../../kit/read/findings.js';
import type { EngineDatabase } from '../../../kit/store/database.js';

/** The engines that a filter is about, whoever may read them. @throws PalisadeError BAD_REQUEST for a segment of no engine */
export function engineScope({ services }: EngineContext, { engine, not_engine }: EngineFilter): FindingFacts[] {
  const known = services.findingEngines.map(({ viewSegment }) => viewSegment);
  const unknown = [...(engine ?? []), ...(not_engine ?? [])].find((segment) => !known.includes(segment));
  if (unknown !== undefined) throw badRequest(`engine must be one of ${known.join(', ')}`);
  return services.findingEngines.filter(
    ({ viewSegment }) => (!engine || engine.includes(viewSegment)) && !not_engine?.includes(viewSegment),
  );
}

/**
 * What each of some engines holds, read as the caller may: engines that the role may not read are restricted and not read, and those whose findings
 * cannot be had within FAN_OUT_TIMEOUT_MS are degraded.
 */
export function readAcross<Result>(
  context: EngineContext,
  engines: readonly FindingFacts[],
  read: (database: EngineDatabase, facts: FindingFacts) => Promise<Result>,
): Promise<FindingsAcross<Result>> {
  const { auth, services, signal } = context;
  const tenant = services.database.tenant(auth.tenant_id);
  return acrossEngines({ auth, signal, services: { ...services, findingEngines: engines } }, (facts) =>
    inTime(read(tenant.engine(facts.engine), facts), services.config.FAN_OUT_TIMEOUT_MS),
  );
}

async function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new PalisadeError('UPSTREAM_UNAVAILABLE', 'The findings could not be read in time')), milliseconds);
  });
  // what comes too late is nobody's any more
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
