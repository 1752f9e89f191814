import { componentMatches } from '../../feeds/records.js';
import { defineFindingEngine } from '../../kit/findings/engine.js';
import { artifactTold, ingestComponents } from './components/ingest.js';
import { componentsPart } from './components/part.js';
import { evidence } from './evidence.js';
import { matched } from './matching/artifacts.js';
import { componentMatchTask } from './matching/task.js';
import { repositories } from './repositories.js';

const SUBCATEGORIES = {
  secret: { code: 'secret', label: 'Secrets in code' },
  sca: { code: 'sca', label: 'Open-source components' },
  dast: { code: 'dast', label: 'Running applications' },
  sast: { code: 'sast', label: 'Static analysis' },
} as const;

export const engine = defineFindingEngine({
  name: 'secops',
  label: 'Code security',
  description: 'Code, its dependencies and running applications: SAST, SCA, DAST and secrets.',
  prefixes: ['secops'],
  parts: [repositories, componentsPart],
  ingest: { components: ingestComponents, artifactTold, matched },
  collections: [componentMatches],
  background: [componentMatchTask],
  findings: {
    viewSegment: 'secops',
    permission: 'secops:read',
    evidence,
    ruleType: 'config',
    module: { code: 'secops', label: 'Code security' },
    subcategory: ({ rule_id, evidence: { kind } }) => {
      if (kind === 'secret' || kind === 'dast') return SUBCATEGORIES[kind];
      return /^(CVE|GHSA)-/.test(rule_id) ? SUBCATEGORIES.sca : SUBCATEGORIES.sast;
    },
    extensions: ({ evidence: { file, start_line, end_line, tool } }) => ({
      code: { tool: tool ?? null, file: file ?? null, start_line: start_line ?? null, end_line: end_line ?? null },
    }),
  },
});
