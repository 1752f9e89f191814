import { defineFindingEngine } from '../../kit/findings/engine.js';
import { evidence } from './evidence.js';
import { storeFindings } from './store-findings.js';
import { stores } from './stores.js';

const SUBCATEGORIES = {
  sensitive_data: { code: 'sensitive_data', label: 'Sensitive data' },
  store: { code: 'store', label: 'Data stores' },
} as const;

export const engine = defineFindingEngine({
  name: 'datasec',
  label: 'Data security',
  description: 'Data stores, and sensitive data in storage and code.',
  prefixes: ['data-security'],
  parts: [stores],
  ingest: storeFindings,
  findings: {
    viewSegment: 'datasec',
    permission: 'datasec:read',
    evidence,
    ruleType: 'config',
    module: { code: 'datasec', label: 'Data security' },
    subcategory: ({ evidence: { data_classes, types } }) =>
      data_classes != null || (Array.isArray(types) && types.some((type) => /sensitive data/i.test(String(type))))
        ? SUBCATEGORIES.sensitive_data
        : SUBCATEGORIES.store,
    extensions: ({ evidence: { data_classes, object, occurrences } }) => ({
      data: { classes: data_classes ?? [], object: object ?? null, occurrences: occurrences ?? null },
    }),
  },
});
