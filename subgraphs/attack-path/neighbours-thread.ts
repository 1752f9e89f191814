// The thread that tells who gets to whom inside of a tenant's networks: a large estate holds up nobody, and the work can be ended.
import { NetworkModel } from '../../catalog/network/model.js';
import { Neighbours, type Neighbourhood } from '../../catalog/network/neighbours.js';
import { serveEstate } from '../../kit/read/estate-side.js';

/** `beside` asks for the workloads in the networks that some resources are in, `reaching` for those that get to some resources. */
export type NeighboursRequest = { beside: readonly string[] } | { reaching: readonly string[] };
export type NeighboursReply = { uids: string[] } | Neighbourhood;

serveEstate((assets) => {
  const neighbours = new Neighbours(new NetworkModel(assets));
  return (request: NeighboursRequest): NeighboursReply =>
    'beside' in request ? { uids: neighbours.beside(request.beside) } : neighbours.reaching(request.reaching);
});
