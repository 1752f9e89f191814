import { PLANS, type Plan } from './auth-context.js';
import { PalisadeError } from './errors.js';

/** What a plan allows a tenant to keep and to ask for, beside its calls (http/rate-limits.ts). */
export interface Allowances {
  /** Findings stored, of every engine and status. */
  readonly findings: number;
  /** Assets stored in the inventory. */
  readonly assets: number;
  /** Events of audit logs stored. */
  readonly events: number;
  /** Components stored, of every artifact. */
  readonly components: number;
  /** Values of indicators stored, each once an indicator. */
  readonly indicators: number;
  /** MiB of reports imported in a day of UTC, as they were sent. */
  readonly upload_mib_per_day: number;
  /** Rules of the tenant's own in force. */
  readonly custom_rules: number;
  /** Steps that the tenant's own rules may take in one run. */
  readonly evaluation_steps: number;
  /** Steps that a trial of a rule may take. */
  readonly trial_steps: number;
}

/** The plans. A step is about 100 ns of work. */
export const PLAN_ALLOWANCES: Readonly<Record<Plan, Allowances>> = {
  starter: {
    findings: 200_000,
    assets: 100_000,
    events: 5_000_000,
    components: 1_000_000,
    indicators: 1_000_000,
    upload_mib_per_day: 5_120,
    custom_rules: 100,
    evaluation_steps: 100_000_000,
    trial_steps: 20_000_000,
  },
  growth: {
    findings: 2_000_000,
    assets: 1_000_000,
    events: 50_000_000,
    components: 10_000_000,
    indicators: 5_000_000,
    upload_mib_per_day: 51_200,
    custom_rules: 250,
    evaluation_steps: 500_000_000,
    trial_steps: 20_000_000,
  },
  enterprise: {
    findings: 10_000_000,
    assets: 5_000_000,
    events: 500_000_000,
    components: 50_000_000,
    indicators: 20_000_000,
    upload_mib_per_day: 512_000,
    custom_rules: 500,
    evaluation_steps: 2_500_000_000,
    trial_steps: 20_000_000,
  },
};

/** What can be allowed. */
export const ALLOWANCES = Object.keys(PLAN_ALLOWANCES.starter) as (keyof Allowances)[];

/** How QUOTAS is written: `starter.findings=50000,enterprise.assets=9000000`. */
export const QUOTAS_PATTERN = new RegExp(`^${pair()}(,${pair()})*$`);

function pair(): string {
  return `(${PLANS.join('|')})\\.(${Object.keys(PLAN_ALLOWANCES.starter).join('|')})=\\d{1,15}`;
}

/** What a plan allows, with the overrides of QUOTAS. */
export function allowancesOf({ QUOTAS }: { readonly QUOTAS?: string | undefined }, plan: Plan): Allowances {
  const own = (QUOTAS ?? '').split(',').flatMap((part) => {
    const [, name, allowance, value] = /^(\w+)\.(\w+)=(\d+)$/.exec(part) ?? [];
    return name === plan ? [[allowance, Number(value)]] : [];
  });
  return { ...PLAN_ALLOWANCES[plan], ...(Object.fromEntries(own) as Partial<Allowances>) };
}

/** What a tenant may do no more of, and what is allowed: the detail of the 422. */
export interface OverAllowance {
  path: string;
  message: string;
  plan: Plan;
  allowance: keyof Allowances;
  allowed: number;
  used: number;
}

/** A tenant's plan allows no more of something. @param path what in the request asks for more */
export const overAllowance = (path: string, { message, ...facts }: Omit<OverAllowance, 'path'>) =>
  new PalisadeError('VALIDATION_ERROR', 'The plan allows no more', [{ path, message, ...facts } satisfies OverAllowance]);
