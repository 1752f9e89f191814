import { defineFindingEngine } from '../../kit/findings/engine.js';
import { evidence } from './evidence.js';

const SUBCATEGORIES = {
  combination: { code: 'combination', label: 'Combinations' },
} as const;

export const engine = defineFindingEngine({
  name: 'cnapp',
  label: 'Toxic combinations',
  description: 'Combinations of findings of other engines that are worse together.',
  prefixes: ['cnapp'],
  findings: {
    viewSegment: 'cnapp',
    permission: 'risk:read',
    evidence,
    ruleType: 'threat',
    module: { code: 'cnapp', label: 'Toxic combinations' },
    subcategory: () => SUBCATEGORIES.combination,
    extensions: ({ evidence: { combination, parts } }) => ({ combination: { name: combination ?? null, parts: parts ?? [] } }),
  },
});
