import type { EngineContext } from '../engine/context.js';
import type { ThreadSession } from '../work/thread-pool.js';
import { readAssets, type ReadAsset } from './inventory.js';

/** An asset that a source has described, as threads are handed it. */
export interface EstateAsset extends Omit<ReadAsset, 'configuration' | 'account_id' | 'resource_name' | 'facts'> {
  configuration: Record<string, unknown>;
  account_id: string | undefined;
  resource_name: string | undefined;
}

/** What every such thread is asked first, again and again: to take assets. */
export interface AddAssets {
  add: EstateAsset[];
}

/** Assets that are handed to a thread at a time. */
const AT_ONCE = 200;

/**
 * Answers questions about part of the tenant's estate in a thread of its own, of which `work` asks what it needs.
 * @param pool the threads that answer such questions
 * @param types the resource types that they are about
 * @param onAsset called for each asset of these, also for what only findings name, which the thread is not handed
 * @throws what the thread throws
 */
export async function withEstate<T, Request, Reply>(
  context: EngineContext,
  pool: keyof EngineContext['services']['threads'],
  types: readonly string[],
  work: (thread: ThreadSession<null, Request | AddAssets, Reply>) => Promise<T>,
  onAsset: (asset: ReadAsset) => void = () => undefined,
): Promise<T> {
  const { services, auth, signal } = context;
  const thread = await services.threads[pool].open<null, Request | AddAssets, Reply>(auth.tenant_id, null, signal);
  try {
    let batch: EstateAsset[] = [];
    for await (const asset of readAssets(context, types)) {
      const { configuration, account_id, resource_name, facts: _, ...rest } = asset;
      onAsset(asset);
      if (configuration === null) continue;
      batch.push({ ...rest, configuration, account_id: account_id ?? undefined, resource_name: resource_name ?? undefined });
      if (batch.length < AT_ONCE) continue;
      await thread.ask({ add: batch });
      batch = [];
    }
    if (batch.length > 0) await thread.ask({ add: batch });
    return await work(thread);
  } finally {
    thread.close();
  }
}
