import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { ROLES } from '../../schema/permissions.js';
import { forbidden, unauthenticated } from '../../subgraphs/_kit/errors.js';
import { memberships, tenants, users, type MembershipRow, type TenantRow, type UserRow } from '../../subgraphs/identity/records.js';
import type { AuthParts, Client } from './parts.js';
import { loginResult, type LoginResult } from './login-result.js';
import { canActIn, needsSecondFactor } from './reach.js';
import { askStrategies } from './strategies.js';

/** Refused sign-ins leave at the next multiple of this many milliseconds, so that their time tells nothing of the account. */
const BEAT = 100;

export const loginBody = z.strictObject({ email: z.string().trim().toLowerCase().min(1).max(254), password: z.string().min(1).max(1024) });

export const SECOND_FACTOR_MISSING = 'This role needs a second factor, which this release cannot check yet';

/**
 * Signs in with e-mail address and password.
 * @returns the result and the cookie's token
 * @throws PalisadeError UNAUTHENTICATED, alike for wrong passwords and for accounts that do not exist, are disabled or have no password;
 *   FORBIDDEN after a right password of a role that needs a second factor; RATE_LIMITED after too many failures
 */
export async function login(
  parts: AuthParts,
  client: Client,
  body: z.infer<typeof loginBody>,
): Promise<{ result: LoginResult; token: string }> {
  const began = performance.now();
  const attempt = await parts.bruteForce.begin(client.ip_address, body.email);
  const answer = await askStrategies(parts.strategies, { kind: 'password', ...body }).catch(async (error: unknown) => {
    await attempt.settle(true);
    throw error;
  });
  const homes = await homesOf(parts, answer.user);
  const isStaff = answer.verdict !== 'refused' && answer.user.organization_id === null;
  if (answer.verdict === 'refused' || (homes.length === 0 && !isStaff)) {
    await attempt.settle(false);
    await auditFailure(parts, client, answer.user, homes[0], answer.verdict === 'refused' ? answer.reason : 'account');
    await sleep(BEAT - ((performance.now() - began) % BEAT));
    throw unauthenticated('The e-mail address or the password is wrong');
  }
  await attempt.settle(true);
  const { user, method, second_factor } = answer;
  const home = homes.find(({ membership }) => second_factor || !needsSecondFactor(membership.role));
  if (!home) {
    await auditFailure(parts, client, user, homes[0], 'second_factor');
    throw forbidden(SECOND_FACTOR_MISSING);
  }
  const { membership, tenant } = home;
  const session = await parts.database.transaction(async (transaction) => {
    const now = parts.clock.now();
    const made = await parts.sessions.create(
      { user_id: user._id, tenant_id: tenant.tenant_id, membership_id: membership._id, method, second_factor, ...client },
      transaction,
    );
    await parts.database.system(users).update({ _id: user._id }, { $set: { last_login_at: now } }, { transaction });
    await parts.audit.append(transaction, tenant.tenant_id, now, [
      {
        action: 'user.login',
        actor_email: user.email,
        target: `user:${user._id}`,
        role: membership.role,
        ip_address: client.ip_address,
        result: 'success',
        detail: { method },
      },
    ]);
    return made;
  });
  const token = await parts.tokens.issue({ session_id: session._id, user_id: user._id, tenant_id: tenant.tenant_id });
  return { result: loginResult(user, tenant, membership.role), token };
}

interface Home {
  membership: MembershipRow;
  tenant: TenantRow;
}

/** The tenants of a user, where the role is widest first, then the oldest membership. An unknown user costs the same two questions. */
async function homesOf(parts: AuthParts, user: UserRow | null): Promise<Home[]> {
  const own = await parts.database.system(memberships).find({ user_id: user?._id ?? '' }, { sort: { created_at: 1, _id: 1 } });
  const rows = await parts.database.system(tenants).find({ _id: { $in: own.map((membership) => membership.tenant_id) } });
  const byId = new Map(rows.map((row) => [row._id, row]));
  return own
    .sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role))
    .flatMap((membership) => {
      const tenant = byId.get(membership.tenant_id);
      return user !== null && tenant && canActIn(tenant, membership, user) ? [{ membership, tenant }] : [];
    });
}

/** A failure is written where a tenant is known; its time is hidden by the beat. */
async function auditFailure(parts: AuthParts, client: Client, user: UserRow | null, home: Home | undefined, reason: string): Promise<void> {
  if (user === null || home === undefined) return;
  await parts.database.transaction((transaction) =>
    parts.audit.append(transaction, home.tenant.tenant_id, parts.clock.now(), [
      {
        action: 'user.login',
        actor_email: user.email,
        target: `user:${user._id}`,
        ip_address: client.ip_address,
        result: 'failure',
        detail: { reason },
      },
    ]),
  );
}
