import { networkTypes } from '../../catalog/network/model.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { withEstate } from '../../kit/read/estate.js';
import type { ReadAsset } from '../../kit/read/inventory.js';
import type { ThreadSession } from '../../kit/work/thread-pool.js';
import type { NetworkReply, NetworkRequest } from './network-thread.js';

export type Networks = ThreadSession<null, NetworkRequest, NetworkReply>;

/**
 * Answers questions about the networks of the caller's tenant in a thread of their own, of which `work` asks what it needs.
 * @param onAsset called for each part of a network, also for what only findings name
 */
export const withNetworks = <T>(
  context: EngineContext,
  work: (networks: Networks) => Promise<T>,
  onAsset?: (asset: ReadAsset) => void,
): Promise<T> => withEstate(context, 'networks', networkTypes(), work, onAsset);
