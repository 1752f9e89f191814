// The thread that answers questions about a tenant's networks: a large estate holds up nobody, and the work can be ended.
import { Exposures } from '../../catalog/network/exposure.js';
import { NetworkModel } from '../../catalog/network/model.js';
import { reach } from '../../catalog/network/reachability.js';
import type { Exposure, Flow, Reachability } from '../../catalog/network/types.js';
import { serveEstate } from '../../kit/read/estate-side.js';

/** Resources whose exposure is told at a time. */
const AT_ONCE = 200;

export type ExposedAsset = Exposure & { resource_uid: string };
export type NetworkRequest = { exposures: { from: number } } | { reach: { from: string; to: string; flow: Flow } };
/** `next` is where the next exposures begin; null after the last. */
export type NetworkReply = { items: ExposedAsset[]; next: number | null } | Reachability | null;

serveEstate((assets) => {
  const model = new NetworkModel(assets);
  let exposures: Exposures | undefined;
  let uids: string[] | undefined;
  return (request: NetworkRequest): NetworkReply => {
    if ('reach' in request) return reach(model, request.reach.from, request.reach.to, request.reach.flow) ?? null;
    exposures ??= new Exposures(model);
    uids ??= model.ofPart('workload', 'balancer', 'endpoint').map(({ asset }) => asset.resource_uid);
    const { from } = request.exposures;
    const items = uids.slice(from, from + AT_ONCE).flatMap((resource_uid) => {
      const exposure = exposures!.of(resource_uid);
      return exposure ? [{ resource_uid, ...exposure }] : [];
    });
    return { items, next: from + AT_ONCE < uids.length ? from + AT_ONCE : null };
  };
});
