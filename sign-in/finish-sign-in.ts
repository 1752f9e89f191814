import { forbidden, unauthenticated } from '../kit/base/errors.js';
import type { TransactionOf } from '../kit/store/query.js';
import type { SecondFactor } from '../accounts/factors/factors.js';
import { hasShownEnough } from '../accounts/factors/policy.js';
import { memberships, tenants, users, type UserRow } from '../accounts/records.js';
import { openWithoutSso, requiresSso, type Home } from './homes.js';
import { loginResult, type LoginResult, type SecondStepResult } from './login-result.js';
import type { AuthParts, Client } from './parts.js';
import { assertBasis } from './sso/basis.js';
import { beginSecondStep } from './second-step/begin.js';
import type { SignedIn } from './signed-in.js';

/** The refusal for callers who have shown an invite or the like; a password alone is refused as a wrong one before. */
const SSO_REQUIRED = 'This tenant is entered through its identity provider';

const FACTOR_MISSING = 'Sign in with your password first, and set up a second factor';
const CHANGED = 'The account has changed meanwhile: sign in again';

/** How a sign-in goes on: a session and its cookie, or a further step that `result` names, without a cookie. */
export interface SignInOutcome {
  readonly result: LoginResult | SecondStepResult;
  readonly token: string | null;
  /** The remembrance of the device, for its browser to keep (`RememberedDevices`); null where there is no password to guess. */
  readonly remembrance: string | null;
}

/** What a second step has shown, and what its use writes. */
export interface SecondStep {
  readonly shown: SecondFactor;
  /** Uses the code, within the transaction that makes the session. */
  use(transaction: TransactionOf): Promise<void>;
}

/**
 * The last step of every way of signing in: a session, or the question for a second factor (decision 23). Who has several homes goes to the
 * one where the role is widest, and shows what that one asks for. Who has set up a second factor is asked for it everywhere, unless a
 * tenant's identity provider, which is trusted with that, has let them in.
 * @throws PalisadeError FORBIDDEN when every home is entered through its identity provider alone
 */
export async function finishSignIn(parts: AuthParts, client: Client, signedIn: SignedIn): Promise<SignInOutcome> {
  const { user, second_factor, sso_tenant_id } = signedIn;
  const homes = sso_tenant_id === null ? openWithoutSso(signedIn.homes, user) : signedIn.homes;
  if (homes.length === 0) throw forbidden(SSO_REQUIRED);
  const { membership, tenant } = homes[0]!;
  const covered = hasShownEnough({ second_factor, sso_tenant_id }, membership.role, tenant);
  const asksOwn = user.mfa !== 'none' && !second_factor && sso_tenant_id === null;
  if (covered && !asksOwn) return startSession(parts, client, { ...signedIn, homes });
  // what a tenant's provider says sets up no factor that holds elsewhere
  if (user.mfa === 'none' && sso_tenant_id !== null && user.sso_tenant_id == null) throw forbidden(FACTOR_MISSING);
  return { result: await beginSecondStep(parts, client, { ...signedIn, homes }), token: null, remembrance: null };
}

/**
 * Makes the session at the first home, notes it in the tenant's audit log, and signs the cookie's token.
 * @throws PalisadeError UNAUTHENTICATED when password, second factor or state of the account are others than those of `signedIn.user`, or
 *   the membership has ended; FORBIDDEN when the tenant has come to require single sign-on; what `step.use` throws
 */
export async function startSession(parts: AuthParts, client: Client, signedIn: SignedIn, step?: SecondStep): Promise<SignInOutcome> {
  const { user, homes, method, second_factor, sso_tenant_id, authenticated_at } = signedIn;
  const { membership, tenant } = homes[0]!;
  const vouched = { method, second_factor, sso_tenant_id, ...(authenticated_at && { authenticated_at }) };
  const session = await parts.database.transaction(async (transaction) => {
    const now = parts.clock.now();
    // a password or factor that was replaced meanwhile has ended all sessions, and lets in nobody who showed the one before
    const shown = { _id: user._id, state: 'active', password_hash: user.password_hash, mfa: user.mfa, totp_sealed: user.totp_sealed };
    const { matched } = await parts.database.system(users).update(shown, { $set: { last_login_at: now } }, { transaction });
    if (matched === 0) throw unauthenticated(CHANGED);
    if (sso_tenant_id !== null) {
      // the organization may have given the domain up since the provider has answered
      const account = await parts.database.system(users).findOne({ _id: user._id }, { transaction });
      if (account) await assertBasis(parts, tenant.organization_id, account, transaction);
    }
    const data = parts.database.tenant(tenant.tenant_id);
    const present = sso_tenant_id === null ? await data.collection(tenants).findOne({}, { transaction }) : null;
    if (present && requiresSso(present, user)) throw forbidden(SSO_REQUIRED);
    await step?.use(transaction);
    // an org_admin may come by the membership in another tenant of the organization
    const own = parts.database.tenant(membership.tenant_id).collection(memberships);
    const joined = await own.update({ _id: membership._id, role: membership.role }, { $set: { last_login_at: now } }, { transaction });
    if (joined.matched === 0) throw unauthenticated(CHANGED);
    const made = await parts.sessions.create(
      { user_id: user._id, tenant_id: tenant.tenant_id, membership_id: membership._id, ...vouched, ...client },
      transaction,
      tenant,
    );
    await parts.audit.append(transaction, tenant.tenant_id, now, [
      {
        action: 'user.login',
        actor_email: user.email,
        target: `user:${user._id}`,
        role: membership.role,
        ip_address: client.ip_address,
        result: 'success',
        detail: { method, ...(step && { second_factor: step.shown }) },
      },
    ]);
    return made;
  });
  const [token, remembrance] = await Promise.all([
    parts.tokens.issue({ session_id: session._id, user_id: user._id, tenant_id: tenant.tenant_id }),
    // a provider's word is no sign-in with the password: it gives no further tries at it
    user.password_hash !== null && sso_tenant_id === null ? parts.devices.issue(user) : null,
  ]);
  return { result: loginResult(user, tenant, membership.role), token, remembrance };
}

/** Notes a refused sign-in in the audit log of a tenant of the user; nothing where no tenant is known. */
export async function auditRefusedSignIn(
  parts: AuthParts,
  client: Client,
  user: UserRow | null,
  home: Home | undefined,
  reason: string,
): Promise<void> {
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
