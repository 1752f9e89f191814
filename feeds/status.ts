import type { EngineServices } from '../kit/engine/context.js';
import type { FeedKind } from './kinds.js';
import { feedStates } from './records.js';

/** How a feed is, for everybody. */
export interface FeedStatus {
  readonly loaded_at: string | null;
  readonly age_seconds: number | null;
  readonly version: string | null;
  readonly records: number;
  readonly error: string | null;
}

/** How the feeds are that were loaded, or tried to be. */
export async function feedStatus({ database, clock }: Pick<EngineServices, 'database' | 'clock'>) {
  const now = clock.now().getTime();
  const states = await database.system(feedStates).find({}, { sort: { _id: 1 } });
  const entries = states.map(({ _id, loaded_at, version, records, error }): [string, FeedStatus] => [
    _id,
    {
      loaded_at: loaded_at?.toISOString() ?? null,
      age_seconds: loaded_at ? Math.max(0, Math.round((now - loaded_at.getTime()) / 1_000)) : null,
      ...{ version, records, error },
    },
  ]);
  return Object.fromEntries(entries) as Partial<Record<FeedKind, FeedStatus>>;
}
