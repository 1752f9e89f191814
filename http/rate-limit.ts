import type { FastifyReply } from 'fastify';
import type { AuthContext, Plan } from '../kit/base/auth-context.js';
import type { Clock } from '../kit/base/clock.js';
import type { Database } from '../kit/store/database.js';
import { isDiskFull } from '../kit/store/disk-full.js';
import { PalisadeError } from '../kit/base/errors.js';
import { addressKey } from './address-key.js';
import { blockOf, DrawnCount } from './drawn-count.js';
import { ExactCount } from './exact-count.js';
import { addressLimits, AGENT_LIMITS, HOOK_LIMITS, planLimits, type Limits } from './rate-limits.js';
import { rateRows, userKey, WINDOWS, type CallCounter, type RateWindow, type Subject, type WindowLeft } from './rate-window.js';

/** What is left after a call, in the tighter window. */
export interface RateDecision {
  allowed: boolean;
  window: RateWindow;
  limit: number;
  remaining: number;
  /** End of the window, Unix seconds. */
  reset: number;
  /** Seconds until the window ends. */
  retry_after: number;
}

/** The caller as limits see it. */
export type RateCaller = Pick<AuthContext, 'tenant_id' | 'user_id' | 'plan'>;

export interface RateLimiter {
  /** Counts a call of `cost` against the tenant's plan, or refuses it and counts nothing. */
  consume(caller: RateCaller, cost?: number): Promise<RateDecision>;
  /** Counts a call that carries no session, by its address. */
  consumeAddress(ipAddress: string, cost?: number): Promise<RateDecision>;
  /** What is left, for endpoints that are exempt and carry the headers all the same. */
  peek(caller: RateCaller): Promise<RateDecision>;
  peekAddress(ipAddress: string): Promise<RateDecision>;
  /** Counts a message to the hook of this id, whoever sends it. */
  consumeHook(id: string): Promise<RateDecision>;
  /** Counts a report of the host agent of this name. */
  consumeAgent(name: string): Promise<RateDecision>;
}

/** A GraphQL operation costs one call for each hundred fields that it selects. */
export const graphqlCost = (fields: number): number => Math.max(1, Math.ceil(fields / 100));

/** Describes the window that a call of `cost` would exceed, else the one with less left. */
function decide(allowed: boolean, [hour, minute]: readonly [WindowLeft, WindowLeft], now: number, cost: number): RateDecision {
  const { window, limit, left } = hour.left < cost || (minute.left >= cost && hour.left < minute.left) ? hour : minute;
  const reset = (Math.floor(now / WINDOWS[window]) + 1) * WINDOWS[window];
  return { allowed, window, limit, remaining: Math.max(0, left), reset, retry_after: Math.max(1, reset - now) };
}

class StoredRateLimiter implements RateLimiter {
  private readonly plans: Readonly<Record<Plan, Limits>>;
  private readonly address: Limits;
  private readonly exact: CallCounter;
  private readonly drawn: CallCounter;

  constructor(database: Database, clock: Clock, overrides: string | undefined) {
    this.plans = planLimits(overrides);
    this.address = addressLimits(overrides);
    this.exact = new ExactCount(rateRows(database), clock);
    this.drawn = new DrawnCount(rateRows(database), clock);
  }

  consume(caller: RateCaller, cost = 1) {
    return this.charge(this.tenantSubject(caller), cost);
  }

  consumeAddress(ipAddress: string, cost = 1) {
    return this.charge(this.addressSubject(ipAddress), cost);
  }

  peek(caller: RateCaller) {
    return this.look(this.tenantSubject(caller));
  }

  peekAddress(ipAddress: string) {
    return this.look(this.addressSubject(ipAddress));
  }

  consumeHook(id: string) {
    return this.charge({ id: `hook|${userKey(id)}`, user: null, limits: HOOK_LIMITS }, 1);
  }

  consumeAgent(name: string) {
    return this.charge({ id: `agent|${userKey(name)}`, user: null, limits: AGENT_LIMITS }, 1);
  }

  private tenantSubject({ tenant_id, user_id, plan }: RateCaller): Subject {
    return { id: `tenant|${tenant_id}`, user: userKey(user_id), limits: this.plans[plan] };
  }

  private addressSubject(ipAddress: string): Subject {
    return { id: `address|${addressKey(ipAddress)}`, user: null, limits: this.address };
  }

  private async charge(subject: Subject, cost: number): Promise<RateDecision> {
    try {
      const { allowed, left, now } = await this.counterOf(subject).charge(subject, cost);
      return decide(allowed, left, now, allowed ? 0 : cost);
    } catch (error) {
      // nothing can be counted; whatever the call itself writes is refused by the store
      if (isDiskFull(error)) return this.look(subject);
      throw error;
    }
  }

  private async look(subject: Subject): Promise<RateDecision> {
    const { left, now } = await this.counterOf(subject).look(subject);
    return decide(true, left, now, 0);
  }

  private counterOf({ limits }: Subject): CallCounter {
    return blockOf(limits) === null ? this.exact : this.drawn;
  }
}

/**
 * Counts calls in the store, for all processes together: by tenant in calendar minutes and hours, one user at most half of a window in which
 * others have called too (specification, "Limits"; decision 28). Up to a hundred a minute each call is an atomic round trip; of larger limits a
 * process draws blocks of at most 2 % of the window, and counts within them by itself.
 */
export function createRateLimiter(database: Database, clock: Clock, config: { readonly RATE_LIMITS?: string }): RateLimiter {
  return new StoredRateLimiter(database, clock, config.RATE_LIMITS);
}

/** The headers of limits, which every response carries. */
export const rateLimitHeaders = ({ limit, remaining, reset }: RateDecision): Record<string, number> => ({
  'x-ratelimit-limit': limit,
  'x-ratelimit-remaining': remaining,
  'x-ratelimit-reset': reset,
});

export function setRateLimitHeaders(reply: FastifyReply, decision: RateDecision): void {
  void reply.headers(rateLimitHeaders(decision));
}

/**
 * Refuses when `decision` does; the error handler makes Retry-After of the detail.
 * @throws PalisadeError RATE_LIMITED with `{window, limit, retry_after}`
 */
export function assertAllowed({ allowed, window, limit, retry_after }: RateDecision): void {
  // not "more than the limit": it may be the share of one user that is used up, or an operation that costs more than what is left
  if (!allowed) throw new PalisadeError('RATE_LIMITED', `Too few calls are left in this ${window}`, { window, limit, retry_after });
}

/**
 * Tells the limits of a call in the headers of its answer, and refuses it where they are used up.
 * @throws PalisadeError RATE_LIMITED, as `assertAllowed`
 */
export function admitCall(reply: FastifyReply, decision: RateDecision): void {
  setRateLimitHeaders(reply, decision);
  assertAllowed(decision);
}

/** Of two limits that a call counts against, the one that is used up, or sooner will be (decision 28). */
export const tighterOf = (one: RateDecision, other: RateDecision): RateDecision =>
  one.allowed && (!other.allowed || other.remaining < one.remaining) ? other : one;
