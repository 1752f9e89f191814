import { PLANS, type Plan } from '../kit/base/auth-context.js';

/** Calls in a calendar minute and in a calendar hour. */
export interface Limits {
  readonly minute: number;
  readonly hour: number;
}

/** Calls of each plan (specification, "Limits"). */
export const PLAN_LIMITS: Readonly<Record<Plan, Limits>> = {
  starter: { minute: 60, hour: 1_000 },
  growth: { minute: 300, hour: 10_000 },
  enterprise: { minute: 1_000, hour: 50_000 },
};

/** Calls without a session from one address; the failed ones among the sign-ins have a limit of their own. */
export const ADDRESS_LIMITS: Limits = { minute: 300, hour: 6_000 };

/** Messages to one hook. */
export const HOOK_LIMITS: Limits = { minute: 120, hour: 3_000 };

/** Reports of one host agent. */
export const AGENT_LIMITS: Limits = { minute: 20, hour: 200 };

/** What RATE_LIMITS sets: of a plan, or of `address`; for example `enterprise=5000/200000,address=600/12000`. */
function overridesIn(text: string | undefined): Record<string, Limits> {
  const set = (text ?? '').split(',').flatMap((part) => {
    const [name, minute, hour] = part.split(/[=/]/);
    return name && minute && hour ? [[name, { minute: Number(minute), hour: Number(hour) }] as const] : [];
  });
  return Object.fromEntries(set);
}

/** The plans with the overrides of RATE_LIMITS. */
export const planLimits = (overrides: string | undefined): Readonly<Record<Plan, Limits>> => {
  const set = overridesIn(overrides);
  return { ...PLAN_LIMITS, ...Object.fromEntries(PLANS.flatMap((plan) => (set[plan] ? [[plan, set[plan]]] : []))) };
};

/** Calls without a session from one address, with the override of RATE_LIMITS. */
export const addressLimits = (overrides: string | undefined): Limits => overridesIn(overrides)['address'] ?? ADDRESS_LIMITS;
