import { z } from 'zod';
import { invalid, violationsOf, type Violation } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { readAttackFigures } from '../../../kit/read/attack-figures.js';
import { reckonSoon } from '../reckon-soon.js';
import { MAGNITUDES, THREAT_FREQUENCIES, type DefaultFigure } from './defaults.js';
import { riskSettings, type OwnFigures, type RiskSettingsRow } from './records.js';

const GROUPS = ['threat_frequencies', 'step_probabilities', 'magnitudes'] as const;
type Group = (typeof GROUPS)[number];
type Defaults = Readonly<Record<Group, ReadonlyMap<string, DefaultFigure>>>;

/** The least and the most that a tenant may set, by what a figure is. */
const BOUNDS: Readonly<Record<DefaultFigure['unit'], readonly [least: number, most: number]>> = {
  money: [0, 1e12],
  hours: [0, 8_760],
  factor: [0, 10],
  per_year: [0, 1_000],
  probability: [0.0001, 1],
};

const figures = z
  .array(z.strictObject({ name: z.string().max(100), value: z.number().nullable() }))
  .max(100)
  .optional();
const inputSchema = z.strictObject({
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be a code of ISO 4217, such as EUR')
    .optional(),
  per_usd: z.number().min(1e-6, 'must be at least 0.000001').max(1e6, 'must be at most 1000000').optional(),
  threat_frequencies: figures,
  step_probabilities: figures,
  magnitudes: figures,
});
type Input = z.infer<typeof inputSchema>;

/** What the tenant has set, where it has set nothing the usual. */
export type OwnSettings = Omit<RiskSettingsRow, '_id' | 'tenant_id' | 'updated_by' | 'updated_at'>;
const NOTHING_SET: OwnSettings = { currency: 'USD', per_usd: 1, threat_frequencies: {}, step_probabilities: {}, magnitudes: {} };

const defaultsOf = async (context: EngineContext): Promise<Defaults> => ({
  threat_frequencies: THREAT_FREQUENCIES,
  step_probabilities: new Map(
    (await readAttackFigures(context)).map(({ name, value, reason, reference }) => [
      name,
      { value, unit: 'probability' as const, reason, source: null, reference },
    ]),
  ),
  magnitudes: MAGNITUDES,
});

/** The figures in force: each with what is usual, why, from which study, and the tenant's own. */
export async function readSettings(context: EngineContext) {
  const [row, defaults] = await Promise.all([
    context.collection(riskSettings).findOne({ _id: context.auth.tenant_id }),
    defaultsOf(context),
  ]);
  return settingsView(row, defaults);
}

function settingsView(row: RiskSettingsRow | null, defaults: Defaults) {
  const own: OwnSettings = row ?? NOTHING_SET;
  const groups = GROUPS.map((group) => [
    group,
    [...defaults[group]].map(([name, { value, ...rest }]) => {
      const set = own[group][name] ?? null;
      const usual = rest.unit === 'money' ? value * own.per_usd : value;
      return { name, value: set ?? usual, usual, own: set, reference: null, ...rest };
    }),
  ]);
  return {
    currency: own.currency,
    per_usd: own.per_usd,
    ...(Object.fromEntries(groups) as Record<Group, object[]>),
    updated_by: row?.updated_by ?? null,
    updated_at: row?.updated_at ?? null,
  };
}

/**
 * Changes the figures that the input names; a null takes the tenant's own back. What is not named stays.
 * @throws PalisadeError VALIDATION_ERROR for names that there are not, and for figures that are none
 */
export async function setSettings(context: EngineContext, input: object) {
  const { auth, services } = context;
  // what is null is left out
  const parsed = inputSchema.safeParse(Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null)));
  if (!parsed.success) throw invalid(violationsOf(parsed.error));
  const defaults = await defaultsOf(context);
  const wrong = faultsOf(parsed.data, defaults);
  if (wrong.length > 0) throw invalid(wrong);
  const rows = context.collection(riskSettings);
  const changed = await context.transaction(async (transaction) => {
    const before = await rows.findOne({ _id: auth.tenant_id }, { transaction });
    const set = { ...merged(before ?? NOTHING_SET, parsed.data), updated_by: auth.email, updated_at: services.clock.now() };
    const untrue = [...unordered(set, 'response'), ...unordered(set, 'hours')];
    if (set.currency !== 'USD' && set.per_usd === 1 && parsed.data.per_usd === undefined)
      untrue.push({ path: 'per_usd', message: `is needed: what a US dollar costs in ${set.currency}` });
    if (set.currency === 'USD' && set.per_usd !== 1) untrue.push({ path: 'per_usd', message: 'must be 1 while the currency is USD' });
    if (untrue.length > 0) throw invalid(untrue);
    await rows.bulkUpdate([{ _id: auth.tenant_id, update: { $set: set }, upsert: true }], { transaction });
    await context.audit(transaction, {
      action: 'risk_settings.update',
      actor_email: auth.email,
      target: `tenant:${auth.tenant_id}`,
      result: 'success',
      detail: { ...parsed.data },
    });
    await reckonSoon(context, transaction);
    return settingsView({ _id: auth.tenant_id, tenant_id: auth.tenant_id, ...set }, defaults);
  });
  services.jobs.wake();
  return changed;
}

function faultsOf(input: Input, defaults: Defaults): Violation[] {
  return GROUPS.flatMap((group) =>
    (input[group] ?? []).flatMap(({ name, value }, n): Violation[] => {
      const usual = defaults[group].get(name);
      if (!usual) return [{ path: `${group}.${n}.name`, message: `must be one of ${[...defaults[group].keys()].join(', ')}` }];
      const [least, most] = BOUNDS[usual.unit];
      return value === null || (value >= least && value <= most)
        ? []
        : [{ path: `${group}.${n}.value`, message: `must be from ${least} to ${most}` }];
    }),
  );
}

function merged(before: OwnSettings, input: Input): OwnSettings {
  const groups = GROUPS.map((group) => {
    const own: Record<string, number> = { ...before[group] };
    for (const { name, value } of input[group] ?? [])
      if (value === null) delete own[name];
      else own[name] = value;
    return [group, own];
  });
  const currency = input.currency ?? before.currency;
  // a rate belongs to its currency
  const per_usd = input.per_usd ?? (currency === before.currency ? before.per_usd : 1);
  return { currency, per_usd, ...(Object.fromEntries(groups) as Record<Group, OwnFigures>) };
}

/** The least is not above the likeliest, and that not above the most. */
function unordered(set: OwnSettings, name: 'response' | 'hours'): Violation[] {
  const [low, likely, high] = ['low', 'likely', 'high'].map((end) => magnitudeOf(set, `${name}_${end}`)) as [number, number, number];
  return low <= likely && likely <= high
    ? []
    : [{ path: 'magnitudes', message: `${name}_low, ${name}_likely and ${name}_high must not fall` }];
}

/** A magnitude in force, in the tenant's currency where it is money. */
export function magnitudeOf(set: Pick<OwnSettings, 'magnitudes' | 'per_usd'>, name: string): number {
  const { value, unit } = MAGNITUDES.get(name)!;
  return set.magnitudes[name] ?? (unit === 'money' ? value * set.per_usd : value);
}

/** The tenant's own figures, for what reckons with them. */
export const ownSettings = async (context: EngineContext): Promise<OwnSettings> =>
  (await context.collection(riskSettings).findOne({ _id: context.auth.tenant_id })) ?? NOTHING_SET;
