import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, number, object, text } from '../../../kit/store/fields.js';

/** Names of figures with the tenant's own values. */
export type OwnFigures = Readonly<Record<string, number>>;

/** The figures that a tenant has set for its risk; `_id` is the tenant's. What it has not set is as magnitudes.yaml and the attack paths' tables say. */
export const riskSettings = defineCollection(
  'risk_settings',
  {
    currency: text,
    /** What a US dollar costs in it. */
    per_usd: number,
    threat_frequencies: object<OwnFigures>(),
    step_probabilities: object<OwnFigures>(),
    magnitudes: object<OwnFigures>(),
    updated_by: text,
    updated_at: date,
  },
  [{ key: { tenant_id: 1 } }],
);
export type RiskSettingsRow = RowOf<typeof riskSettings>;
