// The thread that answers who may do what: a large estate holds up nobody, and the work can be ended.
import { decide } from '../../../catalog/access/decide.js';
import { accessOf, type IdentityAccess } from '../../../catalog/access/identity.js';
import { AccessModel } from '../../../catalog/access/model.js';
import type { Decision } from '../../../catalog/access/types.js';
import { serveEstate } from '../../../kit/read/estate-side.js';

export interface Question {
  action: string;
  resource: string;
}
export interface AccessRequest {
  access: { provider: string; uid: string; question: Question | undefined };
}
export type AccessReply = IdentityAccess & { decision: Decision | null };

serveEstate((assets) => {
  const model = new AccessModel(assets);
  return ({ access: { provider, uid, question } }: AccessRequest): AccessReply => {
    const decision = question === undefined ? null : decide(model.weigh(provider, uid, question.action, question.resource));
    return { ...accessOf(model, provider, uid), decision };
  };
});
