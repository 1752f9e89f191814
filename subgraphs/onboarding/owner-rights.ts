import { permissionsOf, type Permission } from '../../schema/permissions.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { JobFailure } from '../../kit/engine/job.js';
import { readMembers } from '../../kit/read/members.js';

/** Holds the rights that a job's owner has now against what the job takes (decision 58). @throws JobFailure when they are not enough any more */
export async function assertOwnerHolds(context: EngineContext, permissions: readonly Permission[]): Promise<void> {
  const [member] = await readMembers(context, [context.auth.user_id]);
  if (!member) throw new JobFailure('Whoever asked for it is no longer a member of the tenant.');
  const now = permissionsOf(member.role);
  const lacking = permissions.find((permission) => !now.includes(permission));
  if (lacking) throw new JobFailure(`Whoever asked for it lacks the permission ${lacking} now.`);
}
