import { defineFindingEngine } from '../../kit/findings/engine.js';
import { evidence } from './evidence.js';
import { keyFindings } from './key-findings.js';
import { keys } from './keys.js';

const SUBCATEGORIES = {
  tls: { code: 'tls', label: 'TLS' },
  certificate: { code: 'certificate', label: 'Certificates' },
  key: { code: 'key', label: 'Keys and encryption at rest' },
} as const;

export const engine = defineFindingEngine({
  name: 'encryption',
  label: 'Encryption',
  description: 'Keys, certificates and TLS.',
  prefixes: ['encryption'],
  parts: [keys],
  ingest: keyFindings,
  findings: {
    viewSegment: 'encryption',
    permission: 'encryption:read',
    evidence,
    ruleType: 'config',
    module: { code: 'encryption', label: 'Encryption' },
    subcategory: ({ resource_type, evidence: { protocol, cipher } }) =>
      protocol != null || cipher != null ? SUBCATEGORIES.tls : /cert/i.test(resource_type) ? SUBCATEGORIES.certificate : SUBCATEGORIES.key,
    extensions: ({ evidence: { host, port, protocol, cipher, not_after } }) => ({
      encryption: {
        host: host ?? null,
        port: port ?? null,
        protocol: protocol ?? null,
        cipher: cipher ?? null,
        not_after: not_after ?? null,
      },
    }),
  },
});
