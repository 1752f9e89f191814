import { defineFindingEngine } from '../../kit/findings/engine.js';
import { readSchema } from '../../kit/engine/read-schema.js';
import { evidence } from './evidence.js';
import { endpoints } from './endpoints.js';

const SUBCATEGORIES = {
  description: { code: 'description', label: 'API descriptions' },
  scan: { code: 'scan', label: 'API scans' },
} as const;

export const engine = defineFindingEngine({
  name: 'api-security',
  label: 'API security',
  description: 'API descriptions and scans of running APIs.',
  prefixes: ['apisec'],
  typeDefs: readSchema(import.meta.url),
  parts: [endpoints],
  findings: {
    viewSegment: 'api-security',
    permission: 'threat:read',
    evidence,
    ruleType: 'config',
    module: { code: 'api', label: 'API security' },
    subcategory: ({ evidence: { pointer } }) => (pointer != null ? SUBCATEGORIES.description : SUBCATEGORIES.scan),
    extensions: ({ evidence: { method, path, parameter, pointer } }) => ({
      api: { method: method ?? null, path: path ?? null, parameter: parameter ?? null, pointer: pointer ?? null },
    }),
  },
});
