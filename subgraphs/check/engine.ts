import { defineFindingEngine } from '../../kit/findings/engine.js';
import { readSchema } from '../../kit/engine/read-schema.js';
import { evidence } from './evidence.js';
import { resolvers } from './resolvers.js';
import { dropResults, findEvaluated, takeResults } from './results.js';
import { ruleResults } from '../../kit/findings/rule-results.js';
import { firstResults, ruleTallies } from '../../kit/findings/rule-tallies.js';

/** The cloud service in a Terraform type name: `aws_s3_bucket` -> `s3`. */
const serviceOf = (resourceType: string): string => resourceType.split('_')[1] ?? resourceType;

export const engine = defineFindingEngine({
  name: 'check',
  label: 'Posture check',
  description: 'Posture rules over the inventory of all seven providers.',
  prefixes: ['check'],
  typeDefs: readSchema(import.meta.url),
  resolvers,
  routes: [{ method: 'GET', path: '/check/rules/{rule_id}/results', field: 'check_rule_results', tag: 'check' }],
  collections: [ruleResults, ruleTallies, firstResults],
  ingest: { results: takeResults, forgetResults: dropResults, evaluated: findEvaluated },
  findings: {
    viewSegment: 'check',
    permission: 'check:read',
    evidence,
    ruleType: 'config',
    module: { code: 'posture', label: 'Cloud posture' },
    subcategory: ({ resource_type }) => ({ code: serviceOf(resource_type), label: serviceOf(resource_type).toUpperCase() }),
    extensions: (finding) => ({ check: { status_detail: finding.evidence['status_detail'] ?? null } }),
  },
});
