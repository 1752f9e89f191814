import { permissionsOf, type Permission } from '../../schema/permissions.js';
import { holds } from '../base/auth-context.js';
import type { EngineContext } from '../engine/context.js';
import { createEngineContext } from '../engine/create-context.js';
import { JobFailure } from '../engine/job.js';
import { readMembers } from './members.js';

/** The owner of work in the background is gone, or may not do it any more. */
export class OwnerLessened extends JobFailure {}

/**
 * The context of work in the background with the rights that its owner has now, of those that it was begun with: read again at each batch (decision 58).
 * @param needed what the owner must hold still
 * @throws OwnerLessened when the owner has left the tenant, or lacks one of these now
 */
export async function ownerNow(context: EngineContext, needed: readonly Permission[]): Promise<EngineContext> {
  const { auth, services, engine, signal } = context;
  const [member] = await readMembers(context, [auth.user_id]);
  if (!member) throw new OwnerLessened('Whoever asked for it is no longer a member of the tenant.');
  const now = permissionsOf(member.role);
  const owner = { ...auth, role: member.role, permissions: auth.permissions.filter((one) => now.includes(one)) };
  for (const permission of needed)
    if (!holds(owner, permission)) throw new OwnerLessened(`Whoever asked for it lacks the permission ${permission} now.`);
  return createEngineContext(services, engine, owner, signal);
}
