import { defineFindingEngine } from '../../kit/findings/engine.js';
import { evidence } from './evidence.js';
import { endOfLifeFindings } from './end-of-life-findings.js';
import { instances } from './instances.js';

const SUBCATEGORIES = {
  authentication: { code: 'authentication', label: 'Authentication and accounts' },
  configuration: { code: 'configuration', label: 'Configuration' },
} as const;

export const engine = defineFindingEngine({
  name: 'dbsec',
  label: 'Database security',
  description: 'Databases: version, exposure, authentication, backup.',
  prefixes: ['database-security'],
  parts: [instances],
  ingest: endOfLifeFindings,
  findings: {
    viewSegment: 'dbsec',
    permission: 'dbsec:read',
    evidence,
    ruleType: 'config',
    module: { code: 'dbsec', label: 'Database security' },
    subcategory: ({ rule_id }) =>
      /auth|login|password|account|privilege/i.test(rule_id) ? SUBCATEGORIES.authentication : SUBCATEGORIES.configuration,
    extensions: ({ evidence: { database, engine_version } }) => ({
      database: { name: database ?? null, engine_version: engine_version ?? null },
    }),
  },
});
