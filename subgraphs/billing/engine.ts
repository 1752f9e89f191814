import { defineEngine } from '../../kit/engine/engine.js';
import { readSchema } from '../../kit/engine/read-schema.js';
import { callCounts } from '../../kit/store/call-counts.js';
import { usageMonths } from './records.js';
import { billingUsage, noteUsage } from './usage.js';

export const engine = defineEngine({
  name: 'billing',
  label: 'Billing',
  description: 'What a tenant uses of accounts, assets, scans and API calls, against what its plan allows.',
  prefixes: ['billing'],
  typeDefs: readSchema(import.meta.url),
  resolvers: { Query: { billing_usage: (_, args: { months: number }, context) => billingUsage(context, args) } },
  routes: [{ method: 'GET', path: '/billing/usage', field: 'billing_usage', tag: 'billing' }],
  collections: [usageMonths, callCounts],
  ingest: { derive: noteUsage, daily: noteUsage },
});
