import { defineFindingEngine } from '../../kit/findings/engine.js';
import { evidence } from './evidence.js';
import { models } from './models.js';

const SUBCATEGORIES = {
  probe: { code: 'probe', label: 'Probes' },
  configuration: { code: 'configuration', label: 'Configuration' },
} as const;

export const engine = defineFindingEngine({
  name: 'ai-security',
  label: 'AI security',
  description: 'Models, their endpoints and how they answer probes.',
  prefixes: ['ai-security'],
  parts: [models],
  findings: {
    viewSegment: 'ai-security',
    permission: 'ai_security:read',
    evidence,
    ruleType: 'threat',
    module: { code: 'ai', label: 'AI security' },
    subcategory: ({ evidence: { probe } }) => (probe != null ? SUBCATEGORIES.probe : SUBCATEGORIES.configuration),
    extensions: ({ evidence: { model, probe, detector, score } }) => ({
      model: { name: model ?? null, probe: probe ?? null, detector: detector ?? null, score: score ?? null },
    }),
  },
});
