import { wordOf } from '../format.js';
import type { Field } from '../parts/fields.js';
import { SettingView, type Setting } from '../parts/setting.js';
import { Moment } from '../parts/text.js';

interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly usual: number;
  readonly own: number | null;
  readonly reason: string;
}

/** What there are figures of, in words. */
const GROUPS = {
  threat_frequencies: 'Serious attempts a year',
  step_probabilities: 'Chance that a step succeeds',
  magnitudes: 'What a loss is made of',
} as const;
type Group = keyof typeof GROUPS;
const NAMES = Object.keys(GROUPS) as Group[];

/** `GET /settings/risk`. */
interface RiskSettings extends Readonly<Record<Group, readonly Figure[]>> {
  readonly currency: string;
  readonly per_usd: number;
  readonly updated_by: string | null;
  readonly updated_at: string | null;
}

const UNITS: Readonly<Record<string, (currency: string) => string>> = {
  money: (currency) => ` ${currency}`,
  hours: () => ' hours',
  per_year: () => ' a year',
};

const fieldOf =
  (group: Group, currency: string) =>
  ({ name, unit, usual, reason }: Figure): Field => ({
    name: `${group}.${name}`,
    label: `${GROUPS[group]}: ${wordOf(name).toLowerCase()}`,
    kind: 'number',
    whenEmpty: null,
    hint: `Usually ${usual}${UNITS[unit]?.(currency) ?? ''}. ${reason}`,
  });

const RISK: Setting<RiskSettings> = {
  what: 'the figures of risk',
  path: '/api/v1/settings/risk',
  writes: 'tenants:write',
  fields: (now) => [
    { name: 'currency', label: 'Currency of all amounts', kind: 'text', isNeeded: true, hint: 'A code of ISO 4217, such as EUR.' },
    { name: 'per_usd', label: 'What a US dollar costs in it', kind: 'number', isNeeded: true },
    ...NAMES.flatMap((group) => now[group].map(fieldOf(group, now.currency))),
  ],
  asForm: (now) => ({
    ...now,
    ...Object.fromEntries(NAMES.map((group) => [group, Object.fromEntries(now[group].map(({ name, own }) => [name, own]))])),
  }),
  bodyOf: (body) => ({
    ...body,
    ...Object.fromEntries(
      NAMES.map((group) => [
        group,
        Object.entries((body[group] ?? {}) as object).map(([name, value]: [string, unknown]) => ({ name, value })),
      ]),
    ),
  }),
  facts: ({ updated_by, updated_at }) => (
    <p class="soft">
      {updated_by ? (
        <>
          Set by {updated_by} <Moment time={updated_at} />.
        </>
      ) : (
        'All figures are the usual ones: nobody has set others.'
      )}{' '}
      Where a figure is empty, the usual one counts. What is changed holds from the next reckoning on.
    </p>
  ),
};

export const RiskFigures = () => <SettingView of={RISK} />;
