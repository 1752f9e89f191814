import { defineFindingEngine } from '../../kit/findings/engine.js';
import { evidence } from './evidence.js';
import { agentGate } from './hosts/gate.js';
import { hosts } from './hosts/part.js';

const SUBCATEGORIES = {
  benchmark: { code: 'benchmark', label: 'Benchmarks' },
  hardening: { code: 'hardening', label: 'Hardening' },
} as const;

export const engine = defineFindingEngine({
  name: 'agent',
  label: 'Host agents',
  description: 'Hosts: hardening benchmarks and what agents report.',
  prefixes: ['agent'],
  parts: [hosts],
  agentGates: [agentGate],
  findings: {
    viewSegment: 'agent',
    permission: 'discoveries:read',
    evidence,
    ruleType: 'config',
    module: { code: 'agent', label: 'Hosts' },
    subcategory: ({ evidence: { benchmark } }) => (benchmark != null ? SUBCATEGORIES.benchmark : SUBCATEGORIES.hardening),
    extensions: ({ evidence: { host, benchmark, section } }) => ({
      host: { name: host ?? null, benchmark: benchmark ?? null, section: section ?? null },
    }),
  },
});
