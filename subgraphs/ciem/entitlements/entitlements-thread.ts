// The thread that counts what identities are given and proposes less: a large estate holds up nobody, and the work can be ended.
import { AccessModel } from '../../../catalog/access/model.js';
import { GrantedRights, type Granted } from '../../../catalog/entitlements/granted.js';
import { proposalOf, type Proposal } from '../../../catalog/entitlements/proposal.js';
import type { UsedRight } from '../../../catalog/entitlements/used.js';
import type { InventoryResource } from '../../../catalog/resource.js';
import type { AddAssets } from '../../../kit/read/estate.js';
import { serveThread } from '../../../kit/work/thread-side.js';
import type { Provider } from '../../../schema/model.js';

export type EntitlementsRequest =
  | AddAssets
  | { granted: { provider: Provider; uids: readonly string[] } }
  | { proposal: { provider: Provider; uid: string; used: UsedRight[] } };
export type EntitlementsReply = Granted[] | Proposal | null;

serveThread(() => {
  const assets: InventoryResource[] = [];
  let model: AccessModel | undefined;
  let rights: GrantedRights | undefined;
  return {
    opened: null,
    ask(request: EntitlementsRequest): EntitlementsReply {
      if ('add' in request) {
        assets.push(...request.add);
        return null;
      }
      model ??= new AccessModel(assets);
      if ('proposal' in request) {
        const { provider, uid, used } = request.proposal;
        return proposalOf(provider, assets, model, uid, used);
      }
      const { provider, uids } = request.granted;
      const of = (rights ??= new GrantedRights(model, provider));
      return uids.filter((uid) => of.isIdentity(uid)).map((uid) => of.of(uid));
    },
  };
});
