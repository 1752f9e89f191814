// The thread that counts what identities are given and proposes less: a large estate holds up nobody, and the work can be ended.
import { AccessModel } from '../../../catalog/access/model.js';
import { GrantedRights, type Granted } from '../../../catalog/entitlements/granted.js';
import { proposalOf, type Proposal } from '../../../catalog/entitlements/proposal.js';
import type { UsedRight } from '../../../catalog/entitlements/used.js';
import { serveEstate } from '../../../kit/read/estate-side.js';
import type { Provider } from '../../../schema/model.js';

export type EntitlementsRequest =
  { granted: { provider: Provider; uids: readonly string[] } } | { proposal: { provider: Provider; uid: string; used: UsedRight[] } };
export type EntitlementsReply = Granted[] | Proposal | null;

serveEstate((assets) => {
  const model = new AccessModel(assets);
  let rights: GrantedRights | undefined;
  return (request: EntitlementsRequest): EntitlementsReply => {
    if ('proposal' in request) {
      const { provider, uid, used } = request.proposal;
      return proposalOf(provider, assets, model, uid, used);
    }
    const { provider, uids } = request.granted;
    const of = (rights ??= new GrantedRights(model, provider));
    return uids.filter((uid) => of.isIdentity(uid)).map((uid) => of.of(uid));
  };
});
