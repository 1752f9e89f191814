import { defineFindingEngine } from '../../kit/findings/engine.js';
import { evidence } from './evidence.js';

const SUBCATEGORIES = {
  exposure: { code: 'exposure', label: 'Exposure' },
  segmentation: { code: 'segmentation', label: 'Segmentation and logging' },
} as const;

export const engine = defineFindingEngine({
  name: 'network-security',
  label: 'Network security',
  description: 'What can be reached from where.',
  prefixes: ['network-security'],
  findings: {
    viewSegment: 'network-security',
    permission: 'network:read',
    evidence,
    ruleType: 'config',
    module: { code: 'network', label: 'Network security' },
    subcategory: ({ rule_id }) =>
      /open|public|exposed|ingress|internet/i.test(rule_id) ? SUBCATEGORIES.exposure : SUBCATEGORIES.segmentation,
    extensions: ({ evidence: { protocol, port, port_range, source_ranges } }) => ({
      network: { protocol: protocol ?? null, port: port ?? null, port_range: port_range ?? null, source_ranges: source_ranges ?? [] },
    }),
  },
});
