import { defineCollection, type RowOf } from '../../kit/store/collection.js';
import { number, text } from '../../kit/store/fields.js';

/** The most of what is stored that a tenant had in a month of UTC (`2030-01`); `_id` is `<tenant_id>|<month>`. */
export const usageMonths = defineCollection('usage_months', { month: text, assets: number, accounts: number }, [
  { key: { tenant_id: 1, month: 1 } },
]);
export type UsageMonthRow = RowOf<typeof usageMonths>;
