import { unlessDiskFull } from '../kit/store/disk-full.js';
import { randomBytes } from 'node:crypto';
import type { Role } from '../schema/permissions.js';
import type { Clock } from '../kit/base/clock.js';
import type { Database } from '../kit/store/database.js';
import type { TransactionOf } from '../kit/store/query.js';
import { hasShownEnough } from '../accounts/factors/policy.js';
import type { MembershipRow, TenantRow, UserRow } from '../accounts/records.js';
import { authenticatedAt, sessions, type SessionRow } from '../accounts/session-record.js';
import { supportAccesses, type SupportAccessRow } from '../accounts/support-access.js';
import { canActIn, isAdmitted } from './reach.js';
import { ABSOLUTE, hasEnded, IDLE, idleTime, sessionEnded } from './session-end.js';
import { lookup, MEMBERSHIP_STATUS, type Joined } from './membership-status.js';

/** Share of a session's idle time after which its last use is written again: it may end that much early. */
const TOUCH_SHARE = 0.1;

const USER_AGENT_LENGTH = 256;

/** A session with all that decides what it may do, as the store has it now. */
export interface LiveSession {
  session: SessionRow;
  user: UserRow;
  membership: MembershipRow;
  tenant: TenantRow;
  role: Role;
  /** The customer's approval that the operator's staff acts under; null for everybody else. */
  support: SupportAccessRow | null;
}

export type NewSession = Pick<
  SessionRow,
  'user_id' | 'tenant_id' | 'membership_id' | 'method' | 'second_factor' | 'ip_address' | 'user_agent'
> & {
  /** The tenant whose identity provider vouches for the user; the platform does when absent. */
  sso_tenant_id?: string | null;
  /** Under which the operator's staff acts in a customer's tenant. */
  support_access_id?: string | null;
  /** When the person last proved who they are; now when absent. */
  authenticated_at?: Date;
  /** Inherited from the session that this one replaces. */
  ends_at?: Date;
};

type JoinedSession = Joined<SessionRow> & { support: SupportAccessRow[] };
const JOINS = [...MEMBERSHIP_STATUS, lookup(supportAccesses.name, 'support_access_id', 'support')];

/** The session rows: the only thing that keeps somebody signed in. */
export class Sessions {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @param tenant the session's, whose idle time holds; the usual one when absent */
  async create(input: NewSession, transaction?: TransactionOf, tenant?: Pick<TenantRow, 'settings'>): Promise<SessionRow> {
    const now = this.clock.now();
    const ends = input.ends_at ?? new Date(now.getTime() + ABSOLUTE);
    const row: SessionRow = {
      ...input,
      _id: randomBytes(24).toString('base64url'),
      sso_tenant_id: input.sso_tenant_id ?? null,
      support_access_id: input.support_access_id ?? null,
      user_agent: input.user_agent.slice(0, USER_AGENT_LENGTH),
      created_at: now,
      authenticated_at: input.authenticated_at ?? now,
      last_seen_at: now,
      expires_at: idleEnd(now, ends, tenant ? idleTime(tenant) : IDLE),
      ends_at: ends,
    };
    await this.database.system(sessions).insert(row, { transaction });
    return row;
  }

  /**
   * The session with its user, membership and tenant, read in one round trip: with its tenant's organization and, for the operator's
   * staff in a customer's tenant, the support access that it stands on.
   * @throws PalisadeError UNAUTHENTICATED when it has ended, when user or membership are gone, or when role or policy have come to ask for a second
   *   factor
   */
  async resume(claims: { session_id: string; user_id: string; tenant_id: string }): Promise<LiveSession> {
    const { session_id: _id, user_id, tenant_id } = claims;
    const [row] = await this.database.system(sessions).aggregateAcross<JoinedSession>([{ $match: { _id, user_id, tenant_id } }, ...JOINS]);
    if (!row) throw sessionEnded();
    const {
      user: [user],
      membership: [membership],
      tenant: [tenant],
      organization: [organization],
      support: [support],
      ...session
    } = row;
    const now = this.clock.now();
    if (!tenant || hasEnded(session, tenant, now)) throw sessionEnded();
    if (!user || !membership || user.state !== 'active' || membership.user_id !== user._id) throw sessionEnded();
    const isSupport = session.support_access_id !== null && isAdmitted(support, tenant, membership, user, now);
    if (session.support_access_id !== null ? !isSupport : !canActIn(tenant, membership, user, organization)) throw sessionEnded();
    if (!hasShownEnough(session, membership.role, tenant)) throw sessionEnded();
    return { session, user, membership, tenant, role: membership.role, support: isSupport ? support! : null };
  }

  /** Notes that the session is in use, at most every tenth of its idle time; of several gateways the latest counts. */
  async touch({ session, tenant }: Pick<LiveSession, 'session' | 'tenant'>): Promise<void> {
    const now = this.clock.now();
    const idle = idleTime(tenant);
    if (now.getTime() - session.last_seen_at.getTime() < idle * TOUCH_SHARE) return;
    const expires_at = idleEnd(now, session.ends_at, idle);
    // no upsert: a session that has ended meanwhile stays ended
    await this.database
      .system(sessions)
      .update({ _id: session._id }, { $max: { last_seen_at: now, expires_at } })
      .catch(unlessDiskFull);
  }

  /** Ends a session at once. @returns false when it had ended already */
  async end(sessionId: string, transaction?: TransactionOf): Promise<boolean> {
    return (await this.database.system(sessions).remove({ _id: sessionId }, { transaction })) === 1;
  }

  /** Ends the sessions of a user at once, in every tenant. @param except the id of one that goes on */
  async endAll(userId: string, transaction: TransactionOf, except?: string): Promise<void> {
    await this.database.system(sessions).remove({ user_id: userId, ...(except && { _id: { $ne: except } }) }, { transaction });
  }

  /**
   * Puts a new session in the place of `old`, with the same absolute end and the same proof of who it is.
   * @param tenant the one that the new session acts in
   * @throws PalisadeError UNAUTHENTICATED when `old` has ended meanwhile
   */
  async replace(
    old: SessionRow,
    changes: Partial<NewSession>,
    transaction: TransactionOf,
    tenant: Pick<TenantRow, 'settings'>,
  ): Promise<SessionRow> {
    if (!(await this.end(old._id, transaction))) throw sessionEnded();
    const { user_id, tenant_id, membership_id, method, sso_tenant_id, support_access_id, second_factor, ip_address, user_agent, ends_at } =
      old;
    const kept = {
      user_id,
      tenant_id,
      membership_id,
      method,
      sso_tenant_id,
      support_access_id,
      second_factor,
      ip_address,
      user_agent,
      ends_at,
    };
    return this.create({ ...kept, authenticated_at: authenticatedAt(old), ...changes }, transaction, tenant);
  }
}

const idleEnd = (now: Date, ends: Date, idle: number): Date => new Date(Math.min(now.getTime() + idle, ends.getTime()));
