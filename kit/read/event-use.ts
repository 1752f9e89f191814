import type { ActorKind, Provider } from '../../schema/model.js';
import type { EngineContext } from '../engine/context.js';
import { defineReadOperation, readModel, type ReadModel } from './read-model.js';

const model: ReadModel = { name: 'event_use', engine: 'cdr' };

/** What an actor did by one call, or by one right. Times are ISO 8601. */
export interface ReadEventUse {
  provider: Provider;
  actor: string;
  actor_kind: ActorKind;
  account_id: string | null;
  service: string;
  action: string;
  /** Whether `action` is a right in the words of policies. */
  is_right: boolean;
  log: string;
  first_at: string;
  last_at: string;
  /** When it was last done and not refused. */
  used_at: string | null;
  count: number;
  denied: number;
  resources: string[];
  resources_cut: boolean;
}

/** For which times a class of log of an account is held. */
export interface ReadLogCoverage {
  account_id: string | null;
  log: string;
  regions: string[];
  spans: { from: string; to: string }[];
}

interface Batch {
  items: ReadEventUse[];
  /** Where the next batch begins; null after the last. */
  next: string | null;
}

const USE = `provider actor actor_kind account_id service action is_right log first_at last_at used_at count denied resources resources_cut`;

const batch = defineReadOperation<
  { provider: Provider | null; actor: readonly string[] | null; after: string | null; limit: number },
  Batch
>(
  model,
  `query($provider: Provider, $actor: [String!], $after: String, $limit: Int!) {
    result: cdr_usage_model(provider: $provider, actor: $actor, after: $after, limit: $limit) { items { ${USE} } next }
  }`,
);

const coverage = defineReadOperation<{ provider: Provider }, ReadLogCoverage[]>(
  model,
  `query($provider: Provider!) {
    result: cdr_log_coverage_model(provider: $provider) { account_id log regions spans { from to } }
  }`,
);

/** Uses read at a time. */
const AT_ONCE = 1_000;

/**
 * What was done in the tenant's accounts, actor by actor.
 * @param provider only on this platform; all when null
 * @param actors only by these, 200 at most and with their provider; by all when absent
 * @throws as `readModel`
 */
export async function* readEventUse(
  context: EngineContext,
  provider: Provider | null,
  actors: readonly string[] | null = null,
): AsyncGenerator<ReadEventUse> {
  let after: string | null = null;
  do {
    const found: Batch = await readModel(context, batch, { provider, actor: actors, after, limit: AT_ONCE });
    yield* found.items;
    after = found.next;
  } while (after !== null);
}

/** For which times the logs of a platform are held. @throws as `readModel` */
export const readLogCoverage = (context: EngineContext, provider: Provider): Promise<ReadLogCoverage[]> =>
  readModel(context, coverage, { provider });
