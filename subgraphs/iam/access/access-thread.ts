// The thread that answers who may do what: a large estate holds up nobody, and the work can be ended.
import { decide } from '../../../catalog/access/decide.js';
import { accessOf, type IdentityAccess } from '../../../catalog/access/identity.js';
import { AccessModel } from '../../../catalog/access/model.js';
import type { Decision } from '../../../catalog/access/types.js';
import type { InventoryResource } from '../../../catalog/resource.js';
import type { AddAssets } from '../../../kit/read/estate.js';
import { serveThread } from '../../../kit/work/thread-side.js';

export interface Question {
  action: string;
  resource: string;
}
export type AccessRequest = AddAssets | { access: { provider: string; uid: string; question: Question | undefined } };
export type AccessReply = (IdentityAccess & { decision: Decision | null }) | null;

serveThread(() => {
  const assets: InventoryResource[] = [];
  let model: AccessModel | undefined;
  return {
    opened: null,
    ask(request: AccessRequest): AccessReply {
      if ('add' in request) {
        assets.push(...request.add);
        return null;
      }
      model ??= new AccessModel(assets);
      const { provider, uid, question } = request.access;
      const decision = question === undefined ? null : decide(model.weigh(provider, uid, question.action, question.resource));
      return { ...accessOf(model, provider, uid), decision };
    },
  };
});
