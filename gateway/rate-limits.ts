import { PLANS, type Plan } from '../subgraphs/_kit/auth-context.js';

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

/** The plans with the overrides of RATE_LIMITS, for example `enterprise=5000/200000`. */
export function planLimits(overrides: string | undefined): Readonly<Record<Plan, Limits>> {
  const set = (overrides ?? '').split(',').flatMap((part) => {
    const [plan, minute, hour] = part.split(/[=/]/);
    return PLANS.includes(plan as Plan) ? [[plan, { minute: Number(minute), hour: Number(hour) }] as const] : [];
  });
  return { ...PLAN_LIMITS, ...Object.fromEntries(set) };
}
