import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { AuthContext, Plan } from '../kit/base/auth-context.js';
import type { Clock } from '../kit/base/clock.js';
import { defineSystemCollection, type RowOf } from '../kit/store/collection.js';
import { date, object } from '../kit/store/fields.js';
import type { Database } from '../kit/store/database.js';
import { PalisadeError } from '../kit/base/errors.js';
import { addressKey } from './address-key.js';
import { addressLimits, HOOK_LIMITS, planLimits, type Limits } from './rate-limits.js';

const WINDOWS = { minute: 60, hour: 3600 } as const;
export type RateWindow = keyof typeof WINDOWS;

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

/** Calls of one window: all, and by user. */
interface Counter {
  t?: number;
  u?: Record<string, number>;
}

/** One row for each subject and hour; the minutes lie in it by number, so that one atomic update decides and counts both windows. */
export const rateWindows = defineSystemCollection(
  'rate_windows',
  {
    h: object<Counter>(),
    m: object<Record<string, Counter>>(),
    expires_at: date,
  },
  [{ key: { expires_at: 1 }, options: { expireAfterSeconds: 0 } }],
);
type RateRow = RowOf<typeof rateWindows>;

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
}

/** A GraphQL operation costs one call for each hundred fields that it selects. */
export const graphqlCost = (fields: number): number => Math.max(1, Math.ceil(fields / 100));

interface Subject {
  id: string;
  /** Key of the user within the row; null where there are no users. */
  user: string | null;
  limits: Limits;
}

/** A field name that no path takes for the position in an array. */
const minuteKey = (minute: number): string => `m${minute}`;

const half = (limit: number) => Math.max(1, Math.floor(limit / 2));
const userKey = (id: string) => (/^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : createHash('sha256').update(id).digest('base64url'));

/** `used + cost` stays within `limit`; a counter that is not there yet is 0. */
const atMost = (limit: number) => ({ $not: { $gt: limit } });

/** The share of one user: half of the window, or all of it while nobody else has called (all calls are the user's own). */
const fair = (path: string, user: string, limit: number, cost: number) => ({
  $or: [{ [`${path}.u.${user}`]: atMost(half(limit) - cost) }, { $expr: { $eq: [`$${path}.t`, `$${path}.u.${user}`] } }],
});

class StoredRateLimiter implements RateLimiter {
  private readonly plans: Readonly<Record<Plan, Limits>>;
  private readonly address: Limits;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    overrides: string | undefined,
  ) {
    this.plans = planLimits(overrides);
    this.address = addressLimits(overrides);
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

  private tenantSubject({ tenant_id, user_id, plan }: RateCaller): Subject {
    return { id: `tenant|${tenant_id}`, user: userKey(user_id), limits: this.plans[plan] };
  }

  private addressSubject(ipAddress: string): Subject {
    return { id: `address|${addressKey(ipAddress)}`, user: null, limits: this.address };
  }

  private async charge(subject: Subject, cost: number): Promise<RateDecision> {
    const now = Math.floor(this.clock.now().getTime() / 1000);
    const { _id, expires_at, minute } = this.place(subject, now);
    const rows = this.database.system(rateWindows);
    const { user, limits } = subject;
    const path = `m.${minuteKey(minute)}`;
    const fairness = user === null ? {} : { $and: [fair('h', user, limits.hour, cost), fair(path, user, limits.minute, cost)] };
    const filter = { _id, 'h.t': atMost(limits.hour - cost), [`${path}.t`]: atMost(limits.minute - cost), ...fairness };
    const shares = user === null ? {} : { [`h.u.${user}`]: cost, [`${path}.u.${user}`]: cost };
    // Older minutes go, so that the row stays small; the last one stays for a process whose clock is a little behind.
    const gone = Object.fromEntries([2, 3, 4].filter((back) => minute >= back).map((back) => [`m.${minuteKey(minute - back)}`, 1]));
    const update = { $inc: { 'h.t': cost, [`${path}.t`]: cost, ...shares }, ...(minute >= 2 && { $unset: gone }) };

    // Refused, or the first call of the hour: an upsert cannot carry the condition, so the row is made empty and asked again.
    for (let row: RateRow | null = null; ; row = await this.ensure(_id, expires_at)) {
      if (row !== null && !this.hasRoom(subject, row, now, cost)) return this.decide(subject, row, now, false, cost);
      const charged = await rows.findAndUpdate(filter, update, { returnNew: true });
      if (charged) return this.decide(subject, charged, now, true, 0);
    }
  }

  private async ensure(_id: string, expires_at: Date): Promise<RateRow> {
    const rows = this.database.system(rateWindows);
    const known = await rows.findOne({ _id });
    if (known) return known;
    const empty: RateRow = { _id, h: {}, m: {}, expires_at };
    await rows.insert(empty).catch((error: unknown) => {
      if ((error as { code?: number }).code !== 11_000) throw error;
    });
    return empty;
  }

  private async look(subject: Subject): Promise<RateDecision> {
    const now = Math.floor(this.clock.now().getTime() / 1000);
    const { _id, expires_at } = this.place(subject, now);
    const row = await this.database.system(rateWindows).findOne({ _id });
    return this.decide(subject, row ?? { _id, h: {}, m: {}, expires_at }, now, true, 0);
  }

  private place({ id }: Subject, now: number) {
    const hour = Math.floor(now / WINDOWS.hour);
    return {
      _id: `${id}|${hour}`,
      expires_at: new Date((hour + 1) * WINDOWS.hour * 1000 + 300_000),
      minute: Math.floor((now % WINDOWS.hour) / WINDOWS.minute),
    };
  }

  /** Describes the window that a call of `cost` would exceed, else the one with less left. */
  private decide(subject: Subject, row: RateRow, now: number, allowed: boolean, cost: number): RateDecision {
    const [hour, minute] = this.windows(subject, row, now);
    const { window, limit, left } = hour.left < cost || (minute.left >= cost && hour.left < minute.left) ? hour : minute;
    const reset = (Math.floor(now / WINDOWS[window]) + 1) * WINDOWS[window];
    return { allowed, window, limit, remaining: Math.max(0, left), reset, retry_after: Math.max(1, reset - now) };
  }

  private hasRoom(subject: Subject, row: RateRow, now: number, cost: number): boolean {
    return this.windows(subject, row, now).every(({ left }) => left >= cost);
  }

  private windows(subject: Subject, row: RateRow, now: number) {
    const { minute } = this.place(subject, now);
    const { user, limits } = subject;
    return [
      { window: 'hour', limit: limits.hour, left: this.left(row.h, user, limits.hour) },
      { window: 'minute', limit: limits.minute, left: this.left(row.m?.[minuteKey(minute)], user, limits.minute) },
    ] as const;
  }

  private left(counter: Counter | undefined, user: string | null, limit: number): number {
    const used = counter?.t ?? 0;
    const own = user === null ? used : (counter?.u?.[user] ?? 0);
    return Math.min(limit - used, used > own ? half(limit) - own : limit);
  }
}

/**
 * Counts calls in the store, for all processes together: by tenant in calendar minutes and hours, one user at most half of a window in which
 * others have called too (specification, "Limits"; decision 28). A counted call is one atomic round trip, however many run at once.
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
