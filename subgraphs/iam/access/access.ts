import { accessTypes } from '../../../catalog/access/needed.js';
import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { withEstate } from '../../../kit/read/estate.js';
import { identities } from '../identities.js';
import type { AccessReply, AccessRequest } from './access-thread.js';

export interface AccessArguments {
  identity_uid: string;
  action?: string | null;
  resource?: string | null;
}

/** Longer questions are none. */
const LONGEST = 2_048;

/**
 * What an identity may do, by the policies that the inventory shows; null when the tenant has no such identity.
 * @throws PalisadeError BAD_REQUEST when an action comes without a resource, or a resource without an action
 */
export async function identityAccess(context: EngineContext, { identity_uid, action, resource }: AccessArguments) {
  if ((action == null) !== (resource == null)) throw badRequest('action and resource are asked about together');
  const question = action == null || resource == null ? undefined : { action, resource };
  if (question && Math.max(question.action.length, question.resource.length) > LONGEST)
    throw badRequest(`action and resource have at most ${LONGEST} characters`);
  const identity = await context.collection(identities.projection.rows).findOne({ resource_uid: identity_uid });
  if (identity === null) return null;
  const { provider, resource_uid, resource_type, resource_name, account_id } = identity;
  const answer = await withEstate<AccessReply, AccessRequest, AccessReply>(context, 'access', accessTypes(provider), (thread) =>
    thread.ask({ access: { provider, uid: resource_uid, question } }),
  );
  return answer && { identity_uid: resource_uid, resource_type, resource_name, provider, account_id, ...answer };
}
