import type { Reachability } from '../../catalog/network/types.js';
import { badRequest } from '../../kit/base/errors.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { LAST_PORT } from './exposures/list.js';
import { withNetworks } from './networks.js';

export type Protocol = 'tcp' | 'udp' | 'icmp';

export interface ReachabilityArguments {
  from: string;
  to: string;
  port: number;
  protocol: Protocol;
}

/**
 * Whether packets get from one resource to another; null when the tenant has no such two parts of a network.
 * @throws PalisadeError BAD_REQUEST for a port that is none
 */
export async function reachability(context: EngineContext, { from, to, protocol, ...args }: ReachabilityArguments) {
  if (args.port < 1 || args.port > LAST_PORT) throw badRequest(`port must be from 1 to ${LAST_PORT}`);
  const port = protocol === 'icmp' ? null : args.port;
  const answer = (await withNetworks(context, (networks) =>
    networks.ask({ reach: { from, to, flow: { protocol, port } } }),
  )) as Reachability | null;
  return answer && { from, to, port, protocol, ...answer };
}
