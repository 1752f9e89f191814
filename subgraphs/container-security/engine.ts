import { defineFindingEngine } from '../../kit/findings/engine.js';
import { clusters } from './clusters.js';
import { evidence } from './evidence.js';
import { images } from './images.js';

const SUBCATEGORIES = {
  image: { code: 'image', label: 'Images' },
  workload: { code: 'workload', label: 'Workloads and clusters' },
} as const;

export const engine = defineFindingEngine({
  name: 'container-security',
  label: 'Container security',
  description: 'Images, clusters and workloads: how they are built and configured.',
  prefixes: ['container-security'],
  parts: [clusters, images],
  findings: {
    viewSegment: 'container-security',
    permission: 'container:read',
    evidence,
    ruleType: 'config',
    module: { code: 'container', label: 'Container security' },
    subcategory: ({ resource_type }) => (resource_type === 'container_image' ? SUBCATEGORIES.image : SUBCATEGORIES.workload),
    extensions: ({ evidence: { file, start_line, end_line } }) => ({
      container: { file: file ?? null, start_line: start_line ?? null, end_line: end_line ?? null },
    }),
  },
});
