import { defineCollection } from './collection.js';
import { number, text } from './fields.js';

/** Calls of the API that a tenant made on a day of UTC, as its limits count them; `_id` is `<tenant_id>|<day>`. */
export const callCounts = defineCollection('call_counts', { day: text, calls: number }, [{ key: { tenant_id: 1, day: 1 } }]);
