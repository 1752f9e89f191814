import type { Severity } from '../../../schema/model.js';
import { defineCollection, type RowOf } from '../../store/collection.js';
import { date, number, object, text } from '../../store/fields.js';
import { DUE_FIELDS, DUE_INDEX } from '../../work/due.js';

/** Days in which findings of each severity are to be fixed; null: no time is set. */
export type Windows = Readonly<Record<Severity, number | null>>;

/** The windows of a tenant that has set none (specification, "Severity scale"). */
export const DEFAULT_WINDOWS: Windows = { critical: 7, high: 30, medium: 90, low: null, info: null };

/** In how many days a tenant wants findings fixed; `_id` is the tenant's. The row is due while dates of findings are to be set anew. */
export const slaPolicies = defineCollection(
  'sla_policies',
  {
    windows: object<Windows>(),
    /** Grows with every change. */
    revision: number,
    updated_by: text,
    updated_at: date,
    ...DUE_FIELDS,
  },
  [{ key: { tenant_id: 1 } }, DUE_INDEX],
);
export type SlaPolicyRow = RowOf<typeof slaPolicies>;
