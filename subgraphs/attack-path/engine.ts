import { defineFindingEngine } from '../../kit/findings/engine.js';
import { evidence } from './evidence.js';
import { figuresPart } from './figures/part.js';

const SUBCATEGORIES = {
  path: { code: 'path', label: 'Paths' },
} as const;

export const engine = defineFindingEngine({
  name: 'attack-path',
  label: 'Attack paths',
  description: 'Paths through the inventory by which an attacker gets to what matters.',
  prefixes: ['attack-paths'],
  parts: [figuresPart],
  findings: {
    viewSegment: 'attack-path',
    permission: 'threat:read',
    evidence,
    ruleType: 'threat',
    module: { code: 'attack_path', label: 'Attack paths' },
    subcategory: () => SUBCATEGORIES.path,
    extensions: ({ evidence: { entry, target, hops } }) => ({ path: { entry: entry ?? null, target: target ?? null, hops: hops ?? [] } }),
  },
});
