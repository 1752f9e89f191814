import { networkTypes } from '../../catalog/network/model.js';
import type { InventoryResource } from '../../catalog/resource.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { readAssets, type ReadAsset } from '../../kit/read/inventory.js';
import type { ThreadSession } from '../../kit/work/thread-pool.js';
import type { NetworkReply, NetworkRequest } from './network-thread.js';

/** Assets that are handed to the thread at a time. */
const AT_ONCE = 200;

export type Networks = ThreadSession<null, NetworkRequest, NetworkReply>;

/**
 * Answers questions about the networks of the caller's tenant in a thread of their own, of which `work` asks what it needs.
 * @param onAsset called for each part of a network
 */
export async function withNetworks<T>(
  context: EngineContext,
  work: (networks: Networks) => Promise<T>,
  onAsset: (asset: ReadAsset) => void = () => undefined,
): Promise<T> {
  const { services, auth, signal } = context;
  const networks: Networks = await services.threads.networks.open(auth.tenant_id, null, signal);
  try {
    let batch: InventoryResource[] = [];
    for await (const asset of readAssets(context, networkTypes())) {
      const { configuration, account_id, resource_name, ...rest } = asset;
      if (configuration === null) continue;
      onAsset(asset);
      batch.push({ ...rest, configuration, account_id: account_id ?? undefined, resource_name: resource_name ?? undefined });
      if (batch.length < AT_ONCE) continue;
      await networks.ask({ add: batch });
      batch = [];
    }
    if (batch.length > 0) await networks.ask({ add: batch });
    return await work(networks);
  } finally {
    networks.close();
  }
}
