// The thread that tells who gets to whom inside of a tenant's networks: a large estate holds up nobody, and the work can be ended.
import { NetworkModel } from '../../catalog/network/model.js';
import { Neighbours, type Neighbourhood } from '../../catalog/network/neighbours.js';
import type { InventoryResource } from '../../catalog/resource.js';
import { serveThread } from '../../kit/work/thread-side.js';

/** `beside` asks for the workloads in the networks that some resources are in, `reaching` for those that get to some resources. */
export type NeighboursRequest = { add: InventoryResource[] } | { beside: readonly string[] } | { reaching: readonly string[] };
export type NeighboursReply = { uids: string[] } | Neighbourhood | null;

serveThread(() => {
  const assets: InventoryResource[] = [];
  let neighbours: Neighbours | undefined;
  return {
    opened: null,
    ask(request: NeighboursRequest): NeighboursReply {
      if ('add' in request) {
        assets.push(...request.add);
        return null;
      }
      neighbours ??= new Neighbours(new NetworkModel(assets));
      return 'beside' in request ? { uids: neighbours.beside(request.beside) } : neighbours.reaching(request.reaching);
    },
  };
});
