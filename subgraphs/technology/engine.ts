import { defineFindingEngine } from '../../kit/findings/engine.js';
import { evidence } from './evidence.js';
import { register } from './register.js';
import { keepRegistered } from './registrations.js';
import { targets } from './targets.js';

const SUBCATEGORIES = {
  service: { code: 'service', label: 'Services' },
  configuration: { code: 'configuration', label: 'Configuration' },
} as const;

export const engine = defineFindingEngine({
  name: 'technology',
  label: 'Technology',
  description: 'Self-hosted technology: products, versions and their settings.',
  prefixes: ['technology'],
  parts: [targets, register],
  ingest: { daily: keepRegistered },
  findings: {
    viewSegment: 'technology',
    permission: 'check:read',
    evidence,
    ruleType: 'config',
    module: { code: 'technology', label: 'Technology' },
    subcategory: ({ evidence: { port } }) => (port != null ? SUBCATEGORIES.service : SUBCATEGORIES.configuration),
    extensions: ({ evidence: { product, product_version, host, port } }) => ({
      technology: { product: product ?? null, version: product_version ?? null, host: host ?? null, port: port ?? null },
    }),
  },
});
