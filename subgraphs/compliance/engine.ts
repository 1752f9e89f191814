import { defineEngine } from '../../kit/engine/engine.js';
import { readSchema } from '../../kit/engine/read-schema.js';
import { attestations, customFrameworks, frameworkScores } from './records.js';
import { keepScores } from './reports.js';
import { resolvers } from './resolvers.js';

export const engine = defineEngine({
  name: 'compliance',
  label: 'Compliance',
  description: 'Frameworks with scores, controls, attestations, and the tenants’ own frameworks.',
  prefixes: ['compliance'],
  typeDefs: readSchema(import.meta.url),
  resolvers,
  routes: [
    { method: 'GET', path: '/compliance/frameworks', field: 'compliance_frameworks', tag: 'compliance' },
    { method: 'GET', path: '/compliance/framework/{framework_id}/report', field: 'framework_report', tag: 'compliance' },
    { method: 'GET', path: '/compliance/framework/{framework_id}/controls', field: 'framework_controls', tag: 'compliance' },
    { method: 'GET', path: '/compliance/framework/{framework_id}/controls/{control_id}', field: 'framework_control', tag: 'compliance' },
    { method: 'POST', path: '/compliance/frameworks/custom', field: 'create_framework', status: 201, tag: 'compliance' },
    { method: 'PUT', path: '/compliance/frameworks/custom/{framework_id}', field: 'replace_framework', tag: 'compliance' },
    { method: 'DELETE', path: '/compliance/frameworks/custom/{framework_id}', field: 'retire_framework', status: 204, tag: 'compliance' },
    { method: 'GET', path: '/compliance/attestations', field: 'attestations', tag: 'compliance-attestations' },
    { method: 'POST', path: '/compliance/attestations', field: 'create_attestation', status: 201, tag: 'compliance-attestations' },
  ],
  collections: [frameworkScores, customFrameworks, attestations],
  ingest: { derive: keepScores },
});
