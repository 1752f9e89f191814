import { unauthenticated } from '../../kit/base/errors.js';
import { factorsOf, type SecondFactor } from '../../accounts/factors/factors.js';
import { secondSteps, type SecondStepRow } from '../../accounts/factors/records.js';
import { tenants, users, type UserRow } from '../../accounts/records.js';
import { findMembership, homesOf, openWithoutSso, type Home } from '../homes.js';
import type { AuthParts, Client } from '../parts.js';
import { passwordVersion } from '../passwords/version.js';
import { enrollable } from './begin.js';

/** A sign-in that awaits its second step, with the user as the store has them now. */
export interface Challenge {
  readonly row: SecondStepRow;
  readonly user: UserRow;
  /** What may be shown, or set up. */
  readonly methods: readonly SecondFactor[];
  readonly isEnrollment: boolean;
}

/** One message for a wrong, used or expired code and for a sign-in that is over. */
export const refusedStep = () => unauthenticated('The code is wrong, was used already or has expired');

/**
 * The sign-in that `id` names. It counts for the browser or client that began it, and as long as the user still has the password and the
 * factor, or the lack of one, that it was begun with.
 * @throws PalisadeError UNAUTHENTICATED
 */
export async function getChallenge(parts: AuthParts, client: Client, id: string): Promise<Challenge> {
  const row = await parts.database.system(secondSteps).findOne({ _id: id, expires_at: { $gt: parts.clock.now() } });
  const user = row && (await parts.database.system(users).findOne({ _id: row.user_id }));
  if (!user || row.user_agent !== client.user_agent || user.state !== 'active') throw refusedStep();
  if (row.password_version !== passwordVersion(user)) throw refusedStep();
  const isEnrollment = row.totp_sealed !== null;
  if (isEnrollment !== (user.mfa === 'none')) throw refusedStep();
  return { row, user, isEnrollment, methods: isEnrollment ? enrollable(parts) : factorsOf(user) };
}

/** The homes that the sign-in was begun with, as far as they still are the user's. @throws PalisadeError UNAUTHENTICATED without any */
export async function homesOfChallenge(parts: AuthParts, { row, user }: Challenge): Promise<Home[]> {
  const homes = row.sso_tenant_id === null ? await ownHomes(parts, row, user) : await vouchedHomes(parts, row, user);
  if (homes.length === 0) throw refusedStep();
  return homes;
}

async function ownHomes(parts: AuthParts, { tenant_ids }: SecondStepRow, user: UserRow): Promise<Home[]> {
  const open = openWithoutSso(await homesOf(parts, user), user);
  return tenant_ids.flatMap((id) => open.filter(({ tenant }) => tenant.tenant_id === id));
}

/** A provider also signs in org_admins whose membership is in another tenant of the organization. */
async function vouchedHomes(parts: AuthParts, { tenant_ids }: SecondStepRow, user: UserRow): Promise<Home[]> {
  const rows = await parts.database.system(tenants).find({ _id: { $in: [...tenant_ids] } });
  const memberships = await Promise.all(rows.map((tenant) => findMembership(parts, user, tenant)));
  return rows.flatMap((tenant, index) => (memberships[index] ? [{ tenant, membership: memberships[index] }] : []));
}
