import { defineFindingEngine } from '../_kit/finding-engine.js';
import { evidence } from './evidence.js';

/** The cloud service in a Terraform type name: `aws_s3_bucket` -> `s3`. */
const serviceOf = (resourceType: string): string => resourceType.split('_')[1] ?? resourceType;

export const engine = defineFindingEngine({
  name: 'check',
  label: 'Posture check',
  description: 'Posture rules over the inventory of all seven providers.',
  prefixes: ['check'],
  findings: {
    viewSegment: 'check',
    permission: 'check:read',
    evidence,
    ruleType: 'config',
    computedSeverity: false,
    module: { code: 'posture', label: 'Cloud posture' },
    subcategory: ({ resource_type }) => ({ code: serviceOf(resource_type), label: serviceOf(resource_type).toUpperCase() }),
    extensions: (finding) => ({ check: { status_detail: finding.evidence['status_detail'] ?? null } }),
  },
});
